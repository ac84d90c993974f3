package io.palinode.voldemort;

import io.palinode.detector.binding.StoreKey;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import org.jspecify.annotations.Nullable;

/**
 * A write that a caller asks of a node.
 *
 * @param added the version that a put adds; null for any other write
 * @param deleted the clock that a delete covers; null for any other write
 */
public record Write(
    StoreKey key, Caller caller, @Nullable Versioned added, @Nullable VectorClock deleted) {}
