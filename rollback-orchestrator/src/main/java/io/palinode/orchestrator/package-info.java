/**
 * The rollback protocol as a pure state machine, and the memories that the API shows.
 *
 * <p>Promises, and who relies on them:
 *
 * <ul>
 *   <li><b>One outcome.</b> A plan ends in the cut at its target under the new epoch, or is halted
 *       with all nodes paused until an operator has it tried again or abandons it; then the new
 *       epoch begins with what is there, and the safe point claims none of it. (Clients, nodes.)
 *   <li><b>The log is the state.</b> {@link io.palinode.orchestrator.RollbackMachine} advances only
 *       on what it reads back, so replaying the logs rebuilds it wherever it was killed. (The
 *       runtime.)
 *   <li><b>The safe point is final.</b> It never moves back, and no target is before it. (Clients
 *       that let results out.)
 * </ul>
 *
 * <p>Hazards:
 *
 * <ul>
 *   <li>Two orchestrators on one control log can both write a step. Every reader of the log takes
 *       the first record of each (epoch, step, attempt) and skips the rest, and skips a safe point
 *       while a plan is open; then even that leaves one order of steps.
 *   <li>A {@code Judged} that lies (a violation at or before it follows it) cannot be repaired once
 *       the safe point has passed: the violation is alerted, not rolled back.
 *   <li>Acknowledging lost coverage lets the safe point pass what nobody judged.
 * </ul>
 */
@NullMarked
package io.palinode.orchestrator;

import org.jspecify.annotations.NullMarked;
