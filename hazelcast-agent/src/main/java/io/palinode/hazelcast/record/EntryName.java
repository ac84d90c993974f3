package io.palinode.hazelcast.record;

import io.palinode.hvc.Hlc;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * What names one write of a key at one member.
 *
 * <pre>
 * | stamp i64 | node i32 | partition i32 |
 * </pre>
 *
 * @param stamp the HLC of the member that applied it
 * @param node that member's
 * @param partition of the key
 */
public record EntryName(long stamp, int node, int partition) {
  static final int BYTES = Long.BYTES + 2 * Integer.BYTES;

  static EntryName read(ByteBuffer in, int at) {
    return new EntryName(
        in.getLong(at), in.getInt(at + Long.BYTES), in.getInt(at + Long.BYTES + Integer.BYTES));
  }

  byte[] encode() {
    return ByteBuffer.allocate(BYTES).putLong(stamp).putInt(node).putInt(partition).array();
  }

  /** The time of the write in milliseconds. */
  long millis() {
    return TimeUnit.MICROSECONDS.toMillis(Hlc.micros(stamp));
  }
}
