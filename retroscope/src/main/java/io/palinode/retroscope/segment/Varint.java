package io.palinode.retroscope.segment;

import java.nio.ByteBuffer;

/** Numbers in seven bits a byte, least first; the high bit says that more follow. */
public final class Varint {
  public static final int BYTES_MAX = 10;

  private Varint() {}

  /** Returns where the next byte goes. */
  static int put(ByteBuffer bytes, int at, long value) {
    long rest = value;
    int next = at;
    while ((rest & ~0x7FL) != 0) {
      bytes.put(next++, (byte) (rest | 0x80));
      rest >>>= 7;
    }
    bytes.put(next++, (byte) rest);
    return next;
  }

  static long get(ByteBuffer bytes, int at) {
    byte b = bytes.get(at);
    if (b >= 0) {
      return b;
    }
    long value = b & 0x7F;
    int next = at + 1;
    int shift = 7;
    do {
      b = bytes.get(next++);
      value |= (long) (b & 0x7F) << shift;
      shift += 7;
    } while (b < 0);
    return value;
  }

  /** How many bytes the number takes. */
  static int length(long value) {
    return 1 + (Long.SIZE - 1 - Long.numberOfLeadingZeros(value | 1)) / 7;
  }
}
