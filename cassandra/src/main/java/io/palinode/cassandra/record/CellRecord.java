package io.palinode.cassandra.record;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * The write that Cassandra chose for a cell, or for the marker that a row exists.
 *
 * <pre>
 * | version u8 = 1 | timestamp i64 | kind u8 | TTL i32 | ends at i64 | value |
 * </pre>
 *
 * @param timestamp as its client gave it; Cassandra's are microseconds since 1970
 * @param ttl in seconds; 0 if the cell does not expire
 * @param endsAt the second in which an expiring cell ends, or a deleted one was deleted; else 0
 * @param value in the bytes of its type; empty if deleted, and for a marker
 */
public record CellRecord(Kind kind, long timestamp, int ttl, long endsAt, byte[] value) {
  /** What a cell is; of equal timestamps, the later kind stays. */
  public enum Kind {
    LIVE((byte) 0),
    EXPIRING((byte) 1),
    DELETED((byte) 2);

    private final byte code;

    Kind(byte code) {
      this.code = code;
    }

    private static Kind of(byte code) {
      for (Kind kind : values()) {
        if (kind.code == code) {
          return kind;
        }
      }
      throw new IllegalArgumentException("a kind of cell must be 0, 1 or 2: " + code);
    }
  }

  /**
   * The greater of two writes stays. Of equal timestamps, that is the later kind, the later end,
   * the shorter TTL, then the greater value.
   */
  public static final Comparator<CellRecord> ORDER =
      Comparator.comparingLong(CellRecord::timestamp)
          .thenComparing(CellRecord::kind)
          .thenComparingLong(CellRecord::endsAt)
          .thenComparing(CellRecord::ttl, Comparator.reverseOrder())
          .thenComparing(CellRecord::value, Arrays::compareUnsigned);

  static final int TIMESTAMP_AT = 1;
  static final int BODY_AT = TIMESTAMP_AT + Long.BYTES;

  static final byte VERSION = 1;
  private static final int VALUE_AT = BODY_AT + 1 + Integer.BYTES + Long.BYTES;
  private static final byte[] NO_VALUE = new byte[0];

  public CellRecord {
    if ((kind == Kind.EXPIRING) != (ttl > 0)) {
      throw new IllegalArgumentException(
          "an expiring cell alone has a TTL: kind=%s ttl=%d".formatted(kind, ttl));
    }
    if (kind == Kind.DELETED && value.length > 0) {
      throw new IllegalArgumentException("a deleted cell has no value: bytes=" + value.length);
    }
  }

  public static CellRecord live(long timestamp, byte[] value) {
    return new CellRecord(Kind.LIVE, timestamp, 0, 0, value);
  }

  public static CellRecord expiring(long timestamp, int ttl, long endsAt, byte[] value) {
    return new CellRecord(Kind.EXPIRING, timestamp, ttl, endsAt, value);
  }

  public static CellRecord deleted(long timestamp, long second) {
    return new CellRecord(Kind.DELETED, timestamp, 0, second, NO_VALUE);
  }

  /**
   * The write that gives a cell its state on a cut again, over all writes before {@code timestamp}.
   * A TTL ends when it would have ended.
   *
   * @param cut null: the cell was never written
   * @param second the present
   */
  public static CellRecord restored(@Nullable CellRecord cut, long timestamp, long second) {
    return cut == null || cut.kind == Kind.DELETED
        ? deleted(timestamp, second)
        : new CellRecord(cut.kind, timestamp, cut.ttl, cut.endsAt, cut.value);
  }

  /** Whether a read in this second returns the cell. */
  public boolean isLiveAt(long second) {
    return kind == Kind.LIVE || (kind == Kind.EXPIRING && second < endsAt);
  }

  public byte[] encode() {
    return ByteBuffer.allocate(VALUE_AT + value.length)
        .put(VERSION)
        .putLong(timestamp)
        .put(kind.code)
        .putInt(ttl)
        .putLong(endsAt)
        .put(value)
        .array();
  }

  /** Throws {@link IllegalArgumentException} for bytes that {@link #encode} does not write. */
  public static CellRecord decode(byte[] bytes) {
    if (bytes.length < VALUE_AT || bytes[0] != VERSION) {
      throw new IllegalArgumentException(
          "a cell's record must be of version %d and have %d bytes: %s"
              .formatted(VERSION, VALUE_AT, Arrays.toString(bytes)));
    }
    ByteBuffer in = ByteBuffer.wrap(bytes, TIMESTAMP_AT, bytes.length - TIMESTAMP_AT);
    long timestamp = in.getLong();
    Kind kind = Kind.of(in.get());
    return new CellRecord(
        kind,
        timestamp,
        in.getInt(),
        in.getLong(),
        Arrays.copyOfRange(bytes, VALUE_AT, bytes.length));
  }

  @Override
  public boolean equals(@Nullable Object o) {
    return o instanceof CellRecord other && ORDER.compare(this, other) == 0;
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(encode());
  }
}
