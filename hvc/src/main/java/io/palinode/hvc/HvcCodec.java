package io.palinode.hvc;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The bytes of an {@link Hvc}. Entries at the floor (with a finite ε, nodes without recent
 * messages) cost one bit.
 *
 * <pre>
 * +---------+-------+---------+------+--------------+----------------+---------------------------+
 * | version | nodes | owner+1 | base | base − floor | bitmap ⌈n/8⌉ B | base − entry, one per bit |
 * | u8 = 1  | vint  | vint    | vint | vint         | LSB first      | zigzag vint               |
 * +---------+-------+---------+------+--------------+----------------+---------------------------+
 * </pre>
 *
 * {@code base} is the own entry, or the greatest where there is no owner; the owner's bit is never
 * set. {@code floor} is the least entry; a bit is set where an entry is above it. Pure; O(n).
 */
public final class HvcCodec {
  private static final byte VERSION = 1;
  private static final int VARINT_BYTES_MAX = 10;

  private HvcCodec() {}

  public static byte[] encode(Hvc hvc) {
    ByteBuffer out = ByteBuffer.allocate(bytesMax(hvc.nodes()));
    write(hvc, out);
    return Arrays.copyOf(out.array(), out.position());
  }

  /** The most bytes of a clock of {@code nodes} entries. */
  public static int bytesMax(int nodes) {
    return 1 + VARINT_BYTES_MAX * (nodes + 4) + bitmapBytes(nodes);
  }

  private static int bitmapBytes(int nodes) {
    return (nodes + 7) / 8;
  }

  /** Writes what {@link #encode} returns. */
  public static void write(Hvc hvc, ByteBuffer out) {
    int nodes = hvc.nodes();
    long floor = Long.MAX_VALUE;
    long greatest = 0;
    for (int i = 0; i < nodes; i++) {
      floor = Math.min(floor, hvc.get(i));
      greatest = Math.max(greatest, hvc.get(i));
    }
    long base = hvc.owner() == Hvc.NO_OWNER ? greatest : hvc.own();
    out.put(VERSION);
    putVarint(out, nodes);
    putVarint(out, hvc.owner() + 1L);
    putVarint(out, base);
    putVarint(out, base - floor);
    int bitmap = out.position();
    for (int i = bitmapBytes(nodes); i > 0; i--) {
      out.put((byte) 0);
    }
    for (int i = 0; i < nodes; i++) {
      if (i != hvc.owner() && hvc.get(i) > floor) {
        out.put(bitmap + i / 8, (byte) (out.get(bitmap + i / 8) | 1 << (i % 8)));
        putVarint(out, zigzag(base - hvc.get(i)));
      }
    }
  }

  /** Throws {@link IllegalArgumentException} for bytes that {@link #encode} did not make. */
  public static Hvc decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    try {
      Hvc hvc = read(in);
      if (in.hasRemaining()) {
        throw new IllegalArgumentException(
            "an encoded HVC must end with its last entry: extra bytes=" + in.remaining());
      }
      return hvc;
    } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
      throw new IllegalArgumentException("an encoded HVC is cut off: bytes=" + bytes.length, e);
    }
  }

  /** Reads what {@link #write} wrote. */
  public static Hvc read(ByteBuffer in) {
    byte version = in.get();
    if (version != VERSION) {
      throw new IllegalArgumentException("an encoded HVC must be of version 1: version=" + version);
    }
    long nodes = getVarint(in);
    if (nodes < 1 || nodes > Hvc.NODES_MAX) {
      throw new IllegalArgumentException(
          "nodes must be in [1, " + Hvc.NODES_MAX + "]: nodes=" + nodes);
    }
    long ownerPlusOne = getVarint(in);
    if (ownerPlusOne < 0 || ownerPlusOne > nodes) {
      throw new IllegalArgumentException(
          "owner must be in [-1, " + (nodes - 1) + "]: owner+1=" + ownerPlusOne);
    }
    int owner = (int) ownerPlusOne - 1;
    long base = getVarint(in);
    long[] entries = new long[(int) nodes];
    Arrays.fill(entries, base - getVarint(in));
    int bitmap = in.position();
    int bitmapBytes = bitmapBytes(entries.length);
    if (in.remaining() < bitmapBytes) {
      throw new BufferUnderflowException();
    }
    in.position(bitmap + bitmapBytes);
    for (int i = 0; i < entries.length; i++) {
      if ((in.get(bitmap + i / 8) & 1 << (i % 8)) != 0) {
        entries[i] = base - unzigzag(getVarint(in));
      }
    }
    if (owner != Hvc.NO_OWNER) {
      entries[owner] = base;
    }
    return Hvc.of(owner, entries);
  }

  private static long zigzag(long value) {
    return (value << 1) ^ (value >> 63);
  }

  private static long unzigzag(long value) {
    return (value >>> 1) ^ -(value & 1);
  }

  private static void putVarint(ByteBuffer out, long value) {
    while ((value & ~0x7FL) != 0) {
      out.put((byte) ((value & 0x7F) | 0x80));
      value >>>= 7;
    }
    out.put((byte) value);
  }

  private static long getVarint(ByteBuffer in) {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      byte b = in.get();
      value |= (long) (b & 0x7F) << shift;
      if (b >= 0) {
        return value;
      }
    }
    throw new IllegalArgumentException("a varint has at most " + VARINT_BYTES_MAX + " bytes");
  }
}
