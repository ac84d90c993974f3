package io.palinode.monitor.instance;

import java.nio.ByteBuffer;

/**
 * The state of a predicate instance in a checkpoint.
 *
 * <pre>
 * +---------+-------+-----------+-----------+------+----------------------+
 * | version | epoch | predicate | partition | wake | the detector's bytes |
 * | u8 = 1  | i64   | vers. i64 | i32       | i64  | to the end           |
 * +---------+-------+-----------+-----------+------+----------------------+
 * </pre>
 *
 * Integers are big-endian.
 *
 * @param partition the partition of the instance's candidates
 * @param wakeAt the HLC at which time alone decides something; {@link #NO_WAKE} for never
 * @param detector the detector's own bytes
 */
public record InstanceState(
    long epoch, long predicateVersion, int partition, long wakeAt, byte[] detector) {
  public static final long NO_WAKE = Long.MAX_VALUE;

  private static final byte VERSION = 1;
  private static final int HEADER_BYTES = 1 + 8 + 8 + 4 + 8;

  /** Parses a state. Throws {@link IllegalArgumentException} for bytes of another version. */
  public static InstanceState decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    if (bytes.length < HEADER_BYTES || in.get() != VERSION) {
      throw new IllegalArgumentException(
          "an instance's state must be of version 1 and complete: bytes=" + bytes.length);
    }
    long epoch = in.getLong();
    long predicateVersion = in.getLong();
    int partition = in.getInt();
    long wakeAt = in.getLong();
    byte[] detector = new byte[in.remaining()];
    in.get(detector);
    return new InstanceState(epoch, predicateVersion, partition, wakeAt, detector);
  }

  public byte[] encode() {
    return ByteBuffer.allocate(HEADER_BYTES + detector.length)
        .put(VERSION)
        .putLong(epoch)
        .putLong(predicateVersion)
        .putInt(partition)
        .putLong(wakeAt)
        .put(detector)
        .array();
  }
}
