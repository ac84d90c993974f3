/**
 * Nodes, partitions and stores as cluster.xml and stores.xml tell them, and routing on the ring.
 */
@NullMarked
package io.palinode.voldemort.cluster;

import org.jspecify.annotations.NullMarked;
