/** The reports of the benchmarks, as a table and as JSON. */
@NullMarked
package io.palinode.benchmarks.report;

import org.jspecify.annotations.NullMarked;
