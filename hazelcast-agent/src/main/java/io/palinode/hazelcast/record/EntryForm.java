package io.palinode.hazelcast.record;

import java.nio.ByteBuffer;

/**
 * What Hazelcast has of an entry besides the text of its key and value: a restore needs it to write
 * the same entry again.
 *
 * <pre>
 * | key header i64 | value type i32 | ends at i64 |
 * </pre>
 *
 * @param keyHeader the first bytes of the key as Hazelcast serializes it
 * @param valueType Hazelcast's number of the value's type
 * @param endsAtMillis the end of its time to live since 1970; {@link #NEVER}
 */
public record EntryForm(long keyHeader, int valueType, long endsAtMillis) {
  /** The entry has no end. */
  public static final long NEVER = Long.MAX_VALUE;

  static final int BYTES = 2 * Long.BYTES + Integer.BYTES;

  static EntryForm read(ByteBuffer in, int at) {
    return new EntryForm(
        in.getLong(at), in.getInt(at + Long.BYTES), in.getLong(at + Long.BYTES + Integer.BYTES));
  }

  void write(ByteBuffer out) {
    out.putLong(keyHeader).putInt(valueType).putLong(endsAtMillis);
  }
}
