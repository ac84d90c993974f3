package io.palinode.detector.binding;

import io.palinode.hvc.Hvc;

/**
 * A client stated that this node returned an old version to it.
 *
 * @param read the version
 * @param before what its session had seen before
 * @param isAgain whether the session had read {@code read} before it read {@code before}
 * @param at the HVC right after the statement arrived
 * @param client its id, empty when unknown
 */
public record StaleRead(
    StoreKey key, Version read, SeenBefore before, boolean isAgain, Hvc at, String client) {}
