/**
 * Watches the writes of one node.
 *
 * <p>Writes become {@link io.palinode.detector.ring.Emission}s in {@link
 * io.palinode.detector.LocalDetector}, wait in {@link io.palinode.detector.ring.CandidateRing}, and
 * are sent by the threads of {@code detector.kafka}. Nothing here reads a clock, starts a thread or
 * does I/O; the store comes in as a {@link io.palinode.detector.binding.WatchedStore}.
 *
 * <p>Promises, each with the part that relies on it:
 *
 * <ul>
 *   <li><b>Exact.</b> Between two writes, the open intervals are the versions in the store that
 *       make a term true. Each lasts from right after its write to right before the write that
 *       superseded it. (Detection.)
 *   <li><b>In order.</b> In each partition, events are in the order of their sequence and of the
 *       node's clock. (The monitor's watermark.)
 *   <li><b>Complete.</b> Each sequence is sent as an event or as part of a gap, before progress. An
 *       incarnation without missing events ends with {@code Stopped}; without it, events may be
 *       missing. A node serves only after each partition holds a record of it. (The safe point.)
 *   <li><b>An epoch begins at one time.</b> From before a node's {@code Converged} until the reset
 *       of its detector, it publishes no progress. Intervals that the reset finds are open from
 *       then on. (The monitor's watermark.)
 *   <li><b>A put does not wait.</b> Under the write lock there is no I/O and no wait for a queue,
 *       and no exception leaves. (The store.)
 * </ul>
 *
 * <p>Hazards:
 *
 * <ul>
 *   <li>A store that calls the listener outside its write lock breaks order and progress.
 *   <li>A store that accepts writes after its detector is closed makes {@code Stopped} false.
 *   <li>A record that Kafka refuses after later ones were sent becomes a gap behind them; the jump
 *       in the sequence shows it to the monitor before.
 *   <li>The candidates topic's partitions are counted at the start of a node; adding some needs a
 *       restart of all.
 * </ul>
 */
@NullMarked
package io.palinode.detector;

import org.jspecify.annotations.NullMarked;
