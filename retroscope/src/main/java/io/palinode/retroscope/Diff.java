package io.palinode.retroscope;

import org.jspecify.annotations.Nullable;

/**
 * Keys that changed between two times, each with its value at the earlier... target time. A view,
 * not a map.
 */
public interface Diff {
  int size();

  void forEach(Visitor visitor);

  /** Sees each changed key once. */
  @FunctionalInterface
  interface Visitor {
    /** {@code value} is null when the key was absent at the target. */
    void visit(byte[] key, byte @Nullable [] value);
  }
}
