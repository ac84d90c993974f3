package io.palinode.retroscope;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A piece of the log: entries back to back in one array.
 *
 * <pre>
 * +-----------------------+------------+-----+----------------+-----------+
 * | HLC − the one before  | key length | key | old length + 1 | old value |
 * | vint                  | vint       |     | vint, 0=absent |           |
 * +-----------------------+------------+-----+----------------+-----------+
 * </pre>
 *
 * The first entry's HLC counts from {@code base}. Appends are the caller's to order; bytes below a
 * published {@link #used()} never change.
 */
final class Segment {
  private static final int VARINT_BYTES_MAX = 10;

  private final byte[] bytes;
  private final long base;
  private long lastHlc;
  private int used;

  Segment(int capacity, long base) {
    this.bytes = new byte[capacity];
    this.base = base;
    this.lastHlc = base;
  }

  static int bytesMax(byte[] key, byte @Nullable [] old) {
    return 3 * VARINT_BYTES_MAX + key.length + (old == null ? 0 : old.length);
  }

  boolean hasRoomFor(int size) {
    return bytes.length - used >= size;
  }

  void append(long hlc, byte[] key, byte @Nullable [] old) {
    int at = putVarint(used, hlc - lastHlc);
    at = putVarint(at, key.length);
    System.arraycopy(key, 0, bytes, at, key.length);
    at = putVarint(at + key.length, old == null ? 0 : old.length + 1L);
    if (old != null) {
      System.arraycopy(old, 0, bytes, at, old.length);
      at += old.length;
    }
    lastHlc = hlc;
    used = at;
  }

  long lastHlc() {
    return lastHlc;
  }

  int used() {
    return used;
  }

  int capacity() {
    return bytes.length;
  }

  /**
   * Adds the first change of each key in {@code (after, upTo]} that {@code oldByKey} does not know.
   * Returns how many changes lie there.
   */
  long collect(int end, long after, long upTo, Map<Slice, Slice> oldByKey) {
    return forEach(end, after, upTo, (hlc, key, old) -> oldByKey.putIfAbsent(key, old));
  }

  /** Visits the changes in {@code (after, upTo]}, in order. Returns how many there are. */
  long forEach(int end, long after, long upTo, Visitor visitor) {
    Cursor cursor = new Cursor();
    long hlc = base;
    long entries = 0;
    while (cursor.at < end) {
      hlc += cursor.varint();
      Slice key = cursor.slice((int) cursor.varint());
      int oldLengthPlusOne = (int) cursor.varint();
      Slice old = oldLengthPlusOne == 0 ? Slice.ABSENT : cursor.slice(oldLengthPlusOne - 1);
      if (hlc > after && hlc <= upTo) {
        entries++;
        visitor.visit(hlc, key, old);
      }
    }
    return entries;
  }

  /** Sees the entries. */
  interface Visitor {
    void visit(long hlc, Slice key, Slice old);
  }

  private int putVarint(int at, long value) {
    long rest = value;
    int next = at;
    while ((rest & ~0x7FL) != 0) {
      bytes[next++] = (byte) ((rest & 0x7F) | 0x80);
      rest >>>= 7;
    }
    bytes[next++] = (byte) rest;
    return next;
  }

  private final class Cursor {
    private int at;

    long varint() {
      long value = 0;
      int shift = 0;
      byte b;
      do {
        b = bytes[at++];
        value |= (long) (b & 0x7F) << shift;
        shift += 7;
      } while (b < 0);
      return value;
    }

    Slice slice(int length) {
      Slice slice = new Slice(bytes, at, at + length);
      at += length;
      return slice;
    }
  }
}
