package io.palinode.hazelcast.stamp;

import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcCodec;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a clock behind the payload of a packet. Hazelcast reads a payload from its start and
 * ignores what follows the object, so a member without the agent ignores a stamp.
 *
 * <pre>
 * +-------------+---------+---------+------------------+--------+---------------+
 * | Hazelcast's | version | cluster | sender's HVC     | length | "PLNS"        |
 * | payload     | u8 = 1  | u32     | {@link HvcCodec} | u16    | u32           |
 * +-------------+---------+---------+------------------+--------+---------------+
 *               |&lt;-------------------- length ----------------------->|
 * </pre>
 *
 * Numbers are big-endian. {@code cluster} is the hash of the cluster's name: members of different
 * clusters may exchange packets before they find that out. Each version has length and marker at
 * the end. Pure; O(n).
 */
final class StampCodec {
  private static final byte VERSION = 1;
  private static final int MARKER = 0x504C4E53;
  private static final int MARKER_BYTES = Integer.BYTES;
  private static final int TAIL_BYTES = Short.BYTES + MARKER_BYTES;
  private static final int HEAD_BYTES = 1 + Integer.BYTES;

  private StampCodec() {}

  static byte[] encode(int cluster, Hvc hvc) {
    ByteBuffer out =
        ByteBuffer.allocate(HEAD_BYTES + HvcCodec.bytesMax(hvc.nodes()) + TAIL_BYTES)
            .put(VERSION)
            .putInt(cluster);
    HvcCodec.write(hvc, out);
    int length = out.position() + TAIL_BYTES;
    out.putShort((short) length).putInt(MARKER);
    return Arrays.copyOf(out.array(), length);
  }

  /** A copy of {@code payload} with a stamp behind it. */
  static byte[] append(byte[] payload, byte[] stamp) {
    byte[] both = Arrays.copyOf(payload, Math.addExact(payload.length, stamp.length));
    System.arraycopy(stamp, 0, both, payload.length, stamp.length);
    return both;
  }

  /**
   * The clock behind a payload; null if it has no stamp. Throws {@link IllegalArgumentException}
   * for a stamp of another version or cluster, or one that {@link #encode} did not make.
   */
  static @Nullable Hvc find(byte[] bytes, int cluster) {
    int end = bytes.length - TAIL_BYTES;
    if (end < 0) {
      return null;
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    if (in.getInt(bytes.length - MARKER_BYTES) != MARKER) {
      return null;
    }
    int start = bytes.length - Short.toUnsignedInt(in.getShort(end));
    if (start < 0 || start + HEAD_BYTES > end) {
      throw new IllegalArgumentException(
          "a stamp must be within its packet: start=%d bytes=%d".formatted(start, bytes.length));
    }
    return read(in.limit(end).position(start), cluster);
  }

  private static Hvc read(ByteBuffer in, int cluster) {
    byte version = in.get();
    if (version != VERSION) {
      throw new IllegalArgumentException("a stamp must be of version 1: version=" + version);
    }
    int sender = in.getInt();
    if (sender != cluster) {
      throw new IllegalArgumentException(
          "a stamp must be of this cluster: cluster=%08x, received=%08x"
              .formatted(cluster, sender));
    }
    try {
      Hvc hvc = HvcCodec.read(in);
      if (in.hasRemaining()) {
        throw new IllegalArgumentException(
            "a stamp must end with its clock: extra bytes=" + in.remaining());
      }
      return hvc;
    } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
      throw new IllegalArgumentException("the clock of a stamp is cut off", e);
    }
  }
}
