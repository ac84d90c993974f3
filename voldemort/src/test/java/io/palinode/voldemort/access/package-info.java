@NullMarked
package io.palinode.voldemort.access;

import org.jspecify.annotations.NullMarked;
