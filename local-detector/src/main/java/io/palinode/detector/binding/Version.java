package io.palinode.detector.binding;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One sibling of a key: its value, its vector clock in the store's bytes, without the timestamp,
 * and that timestamp. Equal by all three.
 *
 * <p>Clock and timestamp name the write, on all replicas: each copy carries both. The clock alone
 * does not, because the clock of a key restarts with a delete.
 *
 * @param valueBytes the length of the value, of which {@code value} may be the beginning only
 * @param timestampMs the writer's wall clock in milliseconds, as the vector clock has it
 * @param origin the node that accepted it first, from its record; null if unknown
 */
public record Version(
    byte[] value, int valueBytes, byte[] clock, long timestampMs, @Nullable Integer origin) {
  public Version(byte[] value, byte[] clock, long timestampMs, @Nullable Integer origin) {
    this(value, value.length, clock, timestampMs, origin);
  }

  /** A version without a timestamp and with an unknown first acceptor. */
  public Version(byte[] value, byte[] clock) {
    this(value, clock, 0, null);
  }

  /** Whether both are of one write, whatever of its value is kept. */
  public boolean isSameWriteAs(Version other) {
    return timestampMs == other.timestampMs && Arrays.equals(clock, other.clock);
  }

  /** The size of its value and clock in memory: a client may send a clock of 100 KB. */
  public long bytes() {
    return (long) value.length + clock.length;
  }

  /** The size of all of them. */
  public static long bytesOf(List<Version> versions) {
    long bytes = 0;
    for (int i = 0; i < versions.size(); i++) {
      bytes += versions.get(i).bytes();
    }
    return bytes;
  }

  public boolean isWhole() {
    return value.length == valueBytes;
  }

  /** This version with no more than the first bytes of its value. */
  public Version beginning(int bytesMax) {
    return value.length <= bytesMax
        ? this
        : new Version(Arrays.copyOf(value, bytesMax), valueBytes, clock, timestampMs, origin);
  }

  /** This version without the white space around its value, which is text. */
  public Version stripped() {
    byte[] text =
        new String(value, StandardCharsets.UTF_8).strip().getBytes(StandardCharsets.UTF_8);
    return text.length == value.length ? this : new Version(text, clock, timestampMs, origin);
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof Version other && isSameWriteAs(other) && Arrays.equals(value, other.value);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(clock) + Long.hashCode(timestampMs);
  }
}
