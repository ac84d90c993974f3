/**
 * The store node: applies requests to storage in the order of the node's clock, remembers the
 * recent past, and takes it back.
 *
 * <p>Guarantees:
 *
 * <ul>
 *   <li>Writes of a node are totally ordered by {@code after.own()}; storage, window-log and
 *       listeners see them in that order. A cut by HLC relies on it.
 *   <li>Once {@link io.palinode.voldemort.StoreNode#pause} has returned, no write of an older epoch
 *       is applied, and no read of one is answered with what a restore left behind.
 *   <li>A restore is one storage transaction with its mark: it is done once, or not at all.
 * </ul>
 *
 * <p>Hazards: the window-log is in memory, so a node that was restarted reaches back to its start
 * only. A clock that runs more than {@code maxDrift} ahead and is then set back across a crash
 * could repeat timestamps; a start refuses what it can see of that.
 */
@NullMarked
package io.palinode.voldemort;

import org.jspecify.annotations.NullMarked;
