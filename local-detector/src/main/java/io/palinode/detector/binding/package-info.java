/**
 * What a store brings to its detector and its control duties, and the values that they exchange.
 *
 * <p>{@link io.palinode.detector.binding.StoreBinding} names each promise of a store.
 */
@NullMarked
package io.palinode.detector.binding;

import org.jspecify.annotations.NullMarked;
