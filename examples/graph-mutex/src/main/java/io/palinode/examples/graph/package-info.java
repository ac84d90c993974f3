/**
 * Graph colouring that runs optimistically: the application of the demo, and what is needed to say
 * whether its answer is right.
 *
 * <p>Clients share a graph and recolour its vertices round after round. A client may recolour a
 * vertex only while no other client works on a neighbour; for each edge that crosses clients there
 * is a Peterson lock in the store. Peterson's lock is right under sequential consistency only, so
 * on a store that answers before all replicas know (R + W ≤ N) two clients can be inside at once.
 * Instead of paying for consistency on each operation, the run is watched and rolled back.
 *
 * <p>Two rules are watched ({@link Rule}), and both are needed:
 *
 * <ul>
 *   <li>{@code edge-mutex}: the sections of the two ends of an edge must not overlap. It is the
 *       lock's own promise, and most wrong answers begin with a breach of it.
 *   <li>{@code proper-colouring}: the two ends of an edge must not publish the same colour. It is
 *       not implied: a section that really comes later than its neighbour's overlaps with nothing,
 *       and yet may read, from a replica that lags, the colour the neighbour had before. No clock
 *       can call those two sections concurrent, but the answer is wrong. So on leaving a section
 *       the client publishes its colour in the same cell, and equal published colours are the
 *       violation.
 * </ul>
 *
 * <p>Guarantees, when both rules are watched with grade {@code possible} and each client finished
 * by waiting for the safe point:
 *
 * <ul>
 *   <li>The colouring in the store is proper. Within a client neighbours see each other's colours
 *       in its memory; across clients the last published colours differ, or the safe point would
 *       not have passed them. The demo's last line relies on it, {@link ColouringCheck} verifies
 *       it.
 *   <li>No client waits for ever: a wait for a lock that is longer than the limit is an error.
 * </ul>
 *
 * <p>Hazards: one vertex has one writer, its client; two runs at once on the same store break that.
 * Without the watch, or with {@code edge-mutex} alone, the answer may be wrong.
 *
 * <p>This package is pure: graphs, partition, keys, rules, the check of an answer. {@code truth}
 * says what really happened in a run, {@code run} is the clients and their threads, {@code net}
 * puts a network between clients and nodes on one machine.
 */
@NullMarked
package io.palinode.examples.graph;

import org.jspecify.annotations.NullMarked;
