/** Compares stock servers of other makers with ones that Palinode watches. */
@NullMarked
package io.palinode.cli.bench.stock;

import org.jspecify.annotations.NullMarked;
