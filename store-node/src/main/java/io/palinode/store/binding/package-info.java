/**
 * What a store brings to its control duties, and the values that they exchange.
 *
 * <p>{@link io.palinode.store.binding.StoreBinding} joins the promises of a store: what its
 * detector needs ({@link io.palinode.detector.binding.WatchedStore}), {@link
 * io.palinode.store.binding.UndoLog} and {@link io.palinode.store.binding.Serving}.
 */
@NullMarked
package io.palinode.store.binding;

import org.jspecify.annotations.NullMarked;
