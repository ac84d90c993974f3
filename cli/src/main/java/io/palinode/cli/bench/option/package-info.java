/** Options that several benchmarks have. */
@NullMarked
package io.palinode.cli.bench.option;

import org.jspecify.annotations.NullMarked;
