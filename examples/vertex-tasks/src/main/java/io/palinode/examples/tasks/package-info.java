/**
 * Programs whose tasks each compute one vertex of a graph from its neighbours, on a watched store.
 *
 * <p>A task takes the edges to other clients' vertices, reads the neighbours, puts the vertex's new
 * value and gives the edges back. A client takes an edge by reading its record and putting one that
 * names it as holder. Such a mark is right only if each client reads what the other has put last.
 * With R = W = 1 that is usual, and not certain. The predicate {@code one-version} finds each
 * exception, and the store is rolled back to before it.
 *
 * <p>Guarantees, if the store is watched and each client has waited for the safe point:
 *
 * <ul>
 *   <li>The run equals a sequential one: there is an order of its tasks in which one program, that
 *       does them one after the other, computes the same value in each. {@link SequentialRun} finds
 *       that order.
 *   <li>A {@link Matching} is therefore a maximal matching.
 * </ul>
 *
 * <p>Why: without two versions at once, the versions of an edge form a chain, and each is put by a
 * client that has read the one before. So the two ends hold the edge in turns. A task holds all its
 * edges when it puts the vertex's value, so tasks are ordered as these puts are (two-phase
 * locking).
 *
 * <p>Hazards: unwatched, the result may be wrong. Runs of one name at the same time share their
 * keys.
 */
@NullMarked
package io.palinode.examples.tasks;

import org.jspecify.annotations.NullMarked;
