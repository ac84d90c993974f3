package io.palinode.store.engine;

import java.util.Arrays;

/** The bytes of a key, equal by content, ordered as unsigned. */
public record KeyBytes(byte[] bytes) implements Comparable<KeyBytes> {
  /** Sequential keys have close hashes, which would collide in a hash table. */
  private static final int SPREAD = 0x9E3779B9;

  @Override
  public boolean equals(Object o) {
    return o instanceof KeyBytes other && Arrays.equals(bytes, other.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes) * SPREAD;
  }

  @Override
  public int compareTo(KeyBytes other) {
    return Arrays.compareUnsigned(bytes, other.bytes);
  }
}
