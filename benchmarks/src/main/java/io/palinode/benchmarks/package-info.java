/**
 * What Palinode's parts cost, each beside something simple that does the same. Workloads are made
 * from a seed before the clock runs; what is measured is one thread.
 */
@NullMarked
package io.palinode.benchmarks;

import org.jspecify.annotations.NullMarked;
