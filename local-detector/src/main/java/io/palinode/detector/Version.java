package io.palinode.detector;

import java.util.Arrays;

/**
 * One sibling of a key: its value and its vector clock in the store's bytes (without timestamp:
 * equal bytes, equal version). Equal by content.
 */
public record Version(byte[] value, byte[] clock) {
  @Override
  public boolean equals(Object o) {
    return o instanceof Version other
        && Arrays.equals(clock, other.clock)
        && Arrays.equals(value, other.value);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(clock);
  }
}
