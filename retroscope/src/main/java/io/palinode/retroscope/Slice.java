package io.palinode.retroscope;

import java.util.Arrays;

/**
 * A run of bytes inside a segment, equal by content; or the absence of a value, which is not the
 * empty run.
 */
record Slice(byte[] bytes, int from, int to) {
  static final Slice ABSENT = new Slice(new byte[0], -1, -1);

  boolean isAbsent() {
    return from < 0;
  }

  byte[] copy() {
    return Arrays.copyOfRange(bytes, from, to);
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof Slice other
        && (isAbsent() || Arrays.equals(bytes, from, to, other.bytes, other.from, other.to));
  }

  @Override
  public int hashCode() {
    int hash = 1;
    for (int i = from; i < to; i++) {
      hash = 31 * hash + bytes[i];
    }
    return hash;
  }
}
