/** The reports of the benchmarks, as a table and as JSON. */
@NullMarked
package io.palinode.cli.bench.report;

import org.jspecify.annotations.NullMarked;
