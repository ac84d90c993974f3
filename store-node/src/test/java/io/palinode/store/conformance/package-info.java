/**
 * The conformance kit: what a store on {@code store-node} must keep, tested on random histories.
 *
 * <p>The author of a store implements {@link KitStore} and {@link KitNode} and runs {@link
 * StoreKit}. A failure names its seed; a seed determines its history. {@code
 * -Dpalinode.seeds=10000} runs more.
 */
@NullMarked
package io.palinode.store.conformance;

import org.jspecify.annotations.NullMarked;
