package io.palinode.hazelcast.record;

import io.palinode.hvc.Hlc;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * What names one write of a key at one member.
 *
 * <pre>
 * | stamp i64 | node i32 | partition i32 | form ({@link EntryForm}) |
 * </pre>
 *
 * @param stamp the HLC of the member that applied it
 * @param node that member's
 * @param partition of the key
 */
public record EntryName(long stamp, int node, int partition, EntryForm form) {
  private static final int FORM_AT = Long.BYTES + 2 * Integer.BYTES;

  static final int BYTES = FORM_AT + EntryForm.BYTES;

  static EntryName read(ByteBuffer in, int at) {
    return new EntryName(
        in.getLong(at),
        in.getInt(at + Long.BYTES),
        in.getInt(at + Long.BYTES + Integer.BYTES),
        EntryForm.read(in, at + FORM_AT));
  }

  byte[] encode() {
    ByteBuffer out = ByteBuffer.allocate(BYTES);
    write(out);
    return out.array();
  }

  void write(ByteBuffer out) {
    form.write(out.putLong(stamp).putInt(node).putInt(partition));
  }

  /** The time of the write in milliseconds. */
  long millis() {
    return TimeUnit.MICROSECONDS.toMillis(Hlc.micros(stamp));
  }
}
