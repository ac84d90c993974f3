package io.palinode.voldemort;

import io.palinode.detector.binding.StoreKey;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A write that a caller asks of a node.
 *
 * @param added the version that a put adds; null for any other write
 * @param deleted the clock that a delete covers; null for any other write
 * @param seen of a put: what its writer has seen of the key; null if it does not state that
 */
public record Write(
    StoreKey key,
    Caller caller,
    @Nullable Versioned added,
    @Nullable VectorClock deleted,
    @Nullable List<VectorClock> seen) {

  /** Of a writer that does not state what it has seen. */
  public Write(
      StoreKey key, Caller caller, @Nullable Versioned added, @Nullable VectorClock deleted) {
    this(key, caller, added, deleted, null);
  }
}
