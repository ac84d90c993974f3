package io.palinode.voldemort;

import java.util.Arrays;

/** The bytes of a key, equal by content. */
record KeyBytes(byte[] bytes) {
  @Override
  public boolean equals(Object o) {
    return o instanceof KeyBytes other && Arrays.equals(bytes, other.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }
}
