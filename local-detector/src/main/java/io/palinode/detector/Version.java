package io.palinode.detector;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One sibling of a key: its value and its vector clock in the store's bytes (without timestamp:
 * equal bytes, equal version). Equal by both.
 *
 * @param valueBytes the length of the value, of which {@code value} may be the beginning only
 * @param origin the node that accepted it first, as its record says; null when unknown
 */
public record Version(byte[] value, int valueBytes, byte[] clock, @Nullable Integer origin) {
  public Version(byte[] value, byte[] clock, @Nullable Integer origin) {
    this(value, value.length, clock, origin);
  }

  /** A version of which nobody knows where it was accepted first. */
  public Version(byte[] value, byte[] clock) {
    this(value, clock, null);
  }

  boolean isWhole() {
    return value.length == valueBytes;
  }

  /** This version with no more than the first bytes of its value. */
  Version beginning(int bytesMax) {
    return value.length <= bytesMax
        ? this
        : new Version(Arrays.copyOf(value, bytesMax), valueBytes, clock, origin);
  }

  /** This version without the white space around its value, which is text. */
  Version stripped() {
    byte[] text =
        new String(value, StandardCharsets.UTF_8).strip().getBytes(StandardCharsets.UTF_8);
    return text.length == value.length ? this : new Version(text, clock, origin);
  }

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
