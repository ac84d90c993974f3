package io.palinode.retroscope;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keys that changed after a time, each with its value at that time; later changes of a key are
 * shadowed by its first one. A view of the log's bytes: values are copied only when visited.
 * Immutable, thread-safe.
 */
public final class Diff {
  private final Map<Slice, Slice> oldByKey;
  private final long entries;

  Diff(Map<Slice, Slice> oldByKey, long entries) {
    this.oldByKey = oldByKey;
    this.entries = entries;
  }

  /** How many keys changed. */
  public int size() {
    return oldByKey.size();
  }

  /** How many changes were read, shadowed ones included. */
  public long entries() {
    return entries;
  }

  public void forEach(Visitor visitor) {
    oldByKey.forEach((key, old) -> visitor.visit(key.copy(), old.isAbsent() ? null : old.copy()));
  }

  /** Sees each changed key once. */
  @FunctionalInterface
  public interface Visitor {
    /** {@code value} is null when the key was absent. */
    void visit(byte[] key, byte @Nullable [] value);
  }
}
