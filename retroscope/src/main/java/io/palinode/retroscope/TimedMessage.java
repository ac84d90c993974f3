package io.palinode.retroscope;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A message with the time of its sending.
 *
 * <pre>
 * +---------+------------------+-------------+
 * | version | HLC, big-endian  | the message |
 * | 1       | 8 bytes          |             |
 * +---------+------------------+-------------+
 * </pre>
 */
final class TimedMessage {
  private static final byte VERSION = 1;
  private static final int HEADER_BYTES = 1 + Long.BYTES;

  private TimedMessage() {}

  static byte[] encode(long hlc, byte[] message) {
    return ByteBuffer.allocate(HEADER_BYTES + message.length)
        .put(VERSION)
        .putLong(hlc)
        .put(message)
        .array();
  }

  /** Throws {@link IllegalArgumentException} for other bytes. */
  static long hlc(byte[] encoded) {
    if (encoded.length < HEADER_BYTES || encoded[0] != VERSION) {
      throw new IllegalArgumentException(
          "a message must begin with version %d and have %d bytes or more: bytes=%d%s"
              .formatted(
                  VERSION,
                  HEADER_BYTES,
                  encoded.length,
                  encoded.length == 0 ? "" : " version=" + encoded[0]));
    }
    return ByteBuffer.wrap(encoded).getLong(1);
  }

  static byte[] message(byte[] encoded) {
    return Arrays.copyOfRange(encoded, HEADER_BYTES, encoded.length);
  }
}
