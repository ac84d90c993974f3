/**
 * Our store node beside a stock Voldemort server: each in a separate process, with the same client.
 * What it needs of Voldemort is a built one on disk; nothing here is compiled with it.
 */
@NullMarked
package io.palinode.benchmarks.stock;

import org.jspecify.annotations.NullMarked;
