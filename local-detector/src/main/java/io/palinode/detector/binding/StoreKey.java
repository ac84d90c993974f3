package io.palinode.detector.binding;

import java.util.Arrays;

/** A key of a store, as bytes; equal by content. */
public record StoreKey(String store, byte[] key) {
  /** Keys that count up have hashes near each other, which would meet in a hash table. */
  private static final int SPREAD = 0x9E3779B9;

  @Override
  public boolean equals(Object o) {
    return o instanceof StoreKey other
        && Arrays.equals(key, other.key)
        && store.equals(other.store);
  }

  @Override
  public int hashCode() {
    return (31 * store.hashCode() + Arrays.hashCode(key)) * SPREAD;
  }
}
