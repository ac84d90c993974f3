/**
 * Each node's records of a partition, in its order and once, and what is missing among them.
 *
 * <p>Guarantee: {@link io.palinode.monitor.sequence.SequenceCheck} lets every event through once,
 * in the node's order, and reports the missing ones. A node without records is not a gap.
 *
 * <p>Hazard: the records that a node had not yet written at a crash are not known to be missing.
 */
@NullMarked
package io.palinode.monitor.sequence;

import org.jspecify.annotations.NullMarked;
