/**
 * The rollback protocol as a pure state machine: events in, records and alerts out.
 *
 * <p>{@code policy}, {@code violations}, {@code plan} and {@code state} hold what is known. {@code
 * step} decides the next record, and {@code request} what an operator may ask for. {@code health},
 * {@code history} and {@code snapshot} stand beside the machine. The other packages are shells.
 *
 * <p>Promises, and who relies on them:
 *
 * <ul>
 *   <li><b>One outcome.</b> A plan ends in the cut at its target under the new epoch, or it halts
 *       with all nodes paused. After a halt, an operator retries the plan or abandons it. After an
 *       abandon, the new epoch begins with the data that is there, and the safe point waits.
 *       (Clients, nodes.)
 *   <li><b>The log is the state.</b> {@link io.palinode.orchestrator.RollbackMachine} advances only
 *       on records that it reads back. A replay of the logs rebuilds its state. (The runtime.)
 *   <li><b>The safe point is final.</b> It never moves back, and no violation has a target before
 *       it. (Clients that publish results.)
 * </ul>
 *
 * <p>Hazards:
 *
 * <ul>
 *   <li>Two orchestrators on one control log can both write a step. Every reader takes the first
 *       record of each (epoch, step, attempt) and skips the others. A safe point counts only while
 *       no plan is open. The order of steps is therefore the same for every reader.
 *   <li>If a violation follows the {@code Judged} that covers it, and the safe point has passed it,
 *       the violation is alerted and not rolled back.
 *   <li>An acknowledgement of coverage gaps lets the safe point pass time that no monitor judged.
 * </ul>
 */
@NullMarked
package io.palinode.orchestrator;

import org.jspecify.annotations.NullMarked;
