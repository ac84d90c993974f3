/**
 * Detection around {@code io.palinode.detection}, without Flink: what a partition's records say
 * about time and loss, the state of a predicate instance between two events, and what is published.
 *
 * <p>Guarantees:
 *
 * <ul>
 *   <li>A watermark W of {@link io.palinode.monitor.ProgressWatermarks} means that every event of
 *       every node with an own HLC at or before W has been read from the partition. Judgement
 *       relies on it.
 *   <li>{@link io.palinode.monitor.SequenceCheck} lets every event through once, in the node's
 *       order, and reports the missing ones. A node without records is not a gap.
 *   <li>The same witnesses always have the same id ({@link io.palinode.monitor.Violations}), so
 *       consumers can drop repeats.
 * </ul>
 *
 * <p>Hazards: a node that stops writing progress stops the watermark, and with it all judgement;
 * the records that a node had not yet written at a crash are not known to be missing.
 */
@NullMarked
package io.palinode.monitor;

import org.jspecify.annotations.NullMarked;
