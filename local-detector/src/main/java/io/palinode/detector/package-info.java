/**
 * Watches the writes of one node, and does the node's side of the rollback protocol.
 *
 * <p>Writes become {@link io.palinode.detector.Emission}s in {@link
 * io.palinode.detector.LocalDetector}, wait in {@link io.palinode.detector.CandidateRing}, and are
 * sent by the threads of {@code detector.kafka}. The control log becomes {@link
 * io.palinode.detector.Command}s in {@link io.palinode.detector.NodeControl}, which {@link
 * io.palinode.detector.ControlExecution} carries out. Nothing here reads a clock, starts a thread
 * or does I/O; the store comes in as a {@link io.palinode.detector.StoreBinding}.
 *
 * <p>Promises, and who relies on them:
 *
 * <ul>
 *   <li><b>Exact.</b> At every moment between two writes, the intervals that are open are the
 *       versions in the store that make a term true, each from right after the write that brought
 *       it to right before the write that superseded it. (Detection.)
 *   <li><b>In order.</b> In each partition, events are in the order of their sequence and of the
 *       node's clock. (The monitor's watermark.)
 *   <li><b>Silence is never loss.</b> A sequence that is not sent as an event is sent as part of a
 *       gap, and progress follows both. An incarnation that lost nothing ends with its stop; one
 *       that ends without has lost something, and a node serves nothing before it was heard. (The
 *       safe point.)
 *   <li><b>An epoch begins at one time.</b> From before a node's {@code Converged} until its
 *       detector was reset, it tells no progress, and what the reset finds is open from then on.
 *       (The monitor's watermark.)
 *   <li><b>A put does not wait.</b> Under the write lock there is no I/O and no queue to wait for,
 *       and no exception leaves. (The store.)
 *   <li><b>A duty is not forgotten.</b> What a node owes a plan follows from the log alone, and
 *       every command may be repeated. (The orchestrator.)
 * </ul>
 *
 * <p>Hazards:
 *
 * <ul>
 *   <li>A store that calls the listener outside its write lock breaks order and progress.
 *   <li>A store that changes keys in a restore or merge without telling them leaves the new epoch
 *       without their intervals.
 *   <li>A store that still takes writes when its monitor is closed makes the stop a lie.
 *   <li>A record that Kafka refuses after later ones were sent becomes a gap behind them; the jump
 *       in the sequence shows it to the monitor before.
 *   <li>The candidates topic's partitions are counted at the start of a node; adding some needs a
 *       restart of all.
 * </ul>
 */
@NullMarked
package io.palinode.detector;

import org.jspecify.annotations.NullMarked;
