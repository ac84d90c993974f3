/**
 * What Palinode's parts cost, each beside something simple that does the same. Workloads are made
 * from a seed before the clock runs. Of detection, one thread is measured; of snapshots, nodes that
 * serve clients over sockets.
 */
@NullMarked
package io.palinode.benchmarks;

import org.jspecify.annotations.NullMarked;
