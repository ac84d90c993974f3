/** Nodes, partitions and stores of cluster.xml and stores.xml, and routing on the ring. */
@NullMarked
package io.palinode.voldemort.cluster;

import org.jspecify.annotations.NullMarked;
