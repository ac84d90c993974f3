/**
 * Detection of violations: sets of pairwise concurrent intervals that make a clause true. Pure: no
 * Flink, no Kafka, no clock.
 *
 * <p>{@link io.palinode.detection.stream.InstanceDetector} is for events that still arrive, {@link
 * io.palinode.detection.trace.TraceDetector} for a recorded trace. Both keep a queue for each term
 * at each node, ask a horizon what is certain, and search in the same way: conjunctions along
 * forbidden states ({@code CliqueSearch}), k of n as conjunctions of those that hold ({@code
 * CombinationSearch}), sums by a minimum cut ({@code SumSearch}, {@code LeastSum}).
 *
 * <p>Guarantees:
 *
 * <ul>
 *   <li>Sound: the candidates of a witness are pairwise concurrent under the predicate's {@link
 *       io.palinode.hvc.Causality}, and no report is withdrawn. Rollback relies on it: a report
 *       discards work.
 *   <li>Covering: for each grade, every interval that takes part in a witness of at least the grade
 *       is named by a report of at least the grade, and by one that begins ({@link
 *       io.palinode.detection.Witness#violate}) no later than any of these witnesses. Rollback
 *       relies on it: a plan that acts on all reports of at least a grade, with a target before the
 *       first of them begins, leaves no witness of at least the grade that had begun by then. The
 *       grade of a report is the last one returned.
 *   <li>In time: for possible and uncertain, once progress W has arrived, this holds for all that
 *       begins at or before W. The safe point relies on it. Definite may take until more is known
 *       of ends.
 *   <li>The order in which different nodes' events arrive changes neither of these.
 *   <li>State is bounded, and a limit that is met is counted.
 * </ul>
 *
 * <p>Hazards:
 *
 * <ul>
 *   <li>If physical clocks differ by more than ε, intervals may be dropped that a later one is
 *       concurrent with: a violation is missed. ε = ∞ assumes nothing, and keeps more.
 *   <li>An event that arrives after a progress at or past its own HLC is judged as well as it can
 *       be: what it was concurrent with may be gone, and its end may come too late to keep a pair
 *       from being reported.
 *   <li>With joined replicas, state that a node finds after a restart starts a version again, if
 *       everything about that version was dropped already.
 * </ul>
 */
@NullMarked
package io.palinode.detection;

import org.jspecify.annotations.NullMarked;
