/**
 * What a store brings to its detector and its control duties, and the values that they exchange.
 *
 * <p>{@link io.palinode.detector.binding.StoreBinding} joins the promises of a store: {@link
 * io.palinode.detector.binding.WriteFeed}, {@link io.palinode.detector.binding.NodeClock}, {@link
 * io.palinode.detector.binding.UndoLog} and {@link io.palinode.detector.binding.Serving}.
 */
@NullMarked
package io.palinode.detector.binding;

import org.jspecify.annotations.NullMarked;
