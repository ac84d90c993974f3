/**
 * The clients of the colouring: the lock, the task, the way back after a rollback, and the threads.
 *
 * <p>A client is a plain program that puts and gets, in the order in which the tasks are written.
 * It keeps one thing for a rollback of the store: a {@link Journal} of finished tasks with the time
 * of each one's last write. Those at or before the target stand; the rest is done again.
 *
 * <p>Guarantees: under sequential consistency the final colouring is proper and no two sections of
 * an edge overlap. After any number of rollbacks, each to a consistent cut, a client continues from
 * the first task that does not stand, with the colours that the store has and without holding
 * locks. A run ends: by its result, by the first failure of a client, or by {@code close}.
 *
 * <p>Hazards: the store must be the run's own, one run at a time. A lock whose holder died is an
 * error after the configured wait.
 */
@NullMarked
package io.palinode.examples.graph.run;

import org.jspecify.annotations.NullMarked;
