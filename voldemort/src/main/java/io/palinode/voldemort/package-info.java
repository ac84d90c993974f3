/**
 * The store node: applies requests in the order of the node's clock, logs replaced records, and
 * restores them.
 *
 * <p>Guarantees:
 *
 * <ul>
 *   <li>Writes of a node are totally ordered by {@code after.own()}; storage, window-log and
 *       listeners see them in that order. A cut by HLC relies on it.
 *   <li>After {@link io.palinode.voldemort.StoreNode#pause} returns, no write of an older epoch is
 *       applied, and no read of an older epoch returns restored records.
 *   <li>A restore and its mark are one storage transaction: a restore happens once, or not at all.
 * </ul>
 *
 * <p>Hazards: a window-log in memory reaches back only to the node's start. If a convergence window
 * begins earlier, keys that changed before the start do not converge. A start begins after every
 * earlier write, also after a crash; if the clock was set back by more than {@code maxDrift}, the
 * start is refused.
 */
@NullMarked
package io.palinode.voldemort;

import org.jspecify.annotations.NullMarked;
