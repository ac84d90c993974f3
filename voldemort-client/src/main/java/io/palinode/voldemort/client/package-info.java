/**
 * The N/R/W client of Voldemort-style stores: routing, replication and the resolving of siblings
 * happen here, nodes do not talk to each other.
 *
 * <p>Guarantees:
 *
 * <ul>
 *   <li>A call never returns a result of an epoch that is over: it throws {@link
 *       io.palinode.voldemort.client.session.RolledBackException} instead, with the cut that the
 *       store was rolled back to. Programs that run optimistically restart their work on it.
 *   <li>Every request carries the entry-wise maximum of all clocks that this client has received.
 *       Its writes thus happen after its reads, at every node.
 *   <li>The messages of one client to one node arrive in the order in which a thread sent them, as
 *       long as the connection stands.
 *   <li>What is in flight is bounded, and calls end: an answer is waited for no longer than the
 *       request timeout per node asked, a pause of the cluster no longer than six times that.
 * </ul>
 *
 * <p>Hazards: a copy whose node is down or whose connection breaks is not sent again ({@code
 * copiesFailed} counts them); that replica lags until the key is next written, or read where the
 * store prefers more than one read. Such a read also brings back what a delete has missed, or not
 * reached yet, on some replica. A write that timed out may have been accepted.
 */
@NullMarked
package io.palinode.voldemort.client;

import org.jspecify.annotations.NullMarked;
