package io.palinode.detector;

import java.util.Arrays;

/** A key of a store, as bytes; equal by content. */
public record StoreKey(String store, byte[] key) {
  @Override
  public boolean equals(Object o) {
    return o instanceof StoreKey other
        && Arrays.equals(key, other.key)
        && store.equals(other.store);
  }

  @Override
  public int hashCode() {
    return 31 * store.hashCode() + Arrays.hashCode(key);
  }
}
