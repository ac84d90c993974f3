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
 * <p>Hazards: a node whose window-log is in memory alone reaches, when it was restarted, back to
 * its start only; where a convergence window begins before that, the keys changed in the gap are
 * not told. A start begins after every earlier write, also after a crash; a clock that was set back
 * by more than {@code maxDrift} meanwhile is refused.
 */
@NullMarked
package io.palinode.voldemort;

import org.jspecify.annotations.NullMarked;
