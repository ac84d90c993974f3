/** Stock Voldemort servers as processes of their own, from a folder that the user names. */
@NullMarked
package io.palinode.benchmarks.stock;

import org.jspecify.annotations.NullMarked;
