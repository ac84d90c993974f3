/**
 * What clients and nodes say to each other: Voldemort's pb0 frames and messages, versions and their
 * bytes, and the rules by which versions supersede each other.
 *
 * <p>Guarantees:
 *
 * <ul>
 *   <li>Equal vector clocks have equal {@link VectorClock#identityBytes()}; detection joins the
 *       intervals of one version on these bytes.
 *   <li>Equal sets of versions have equal bytes after {@link Siblings#merge}, whatever the order
 *       they came in; the convergence of replicas after a rollback relies on it.
 *   <li>{@link Siblings#resolve} is a total order: all clients that see the same siblings read the
 *       same value.
 * </ul>
 *
 * <p>Hazard: two writers that increment one node's entry from the same version make different
 * values of one clock. Nodes prevent it, since only a node that accepts a version lets its entry
 * grow; where it happens nevertheless, {@link Siblings#merge} keeps one of them.
 */
@NullMarked
package io.palinode.voldemort.protocol;

import org.jspecify.annotations.NullMarked;
