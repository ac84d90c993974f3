package io.palinode.wire.signing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The header of a signed record, and the bytes that it signs.
 *
 * <pre>
 * header  version 1 (1 byte) | writer (16) | sequence (8) | signature (the rest)
 * signed  "palinode decision 1" | writer (16) | sequence (8)
 *         | length (4), topic | length (4), Kafka key | value
 * </pre>
 *
 * @param writer a random number of one run of an orchestrator
 * @param sequence grows with each record of the writer
 */
record SignedBytes(UUID writer, long sequence, byte[] signature) {
  static final String HEADER = "palinode-signature";

  private static final byte VERSION = 1;
  private static final int BEFORE_SIGNATURE = 1 + 16 + 8;
  private static final byte[] PURPOSE = "palinode decision 1".getBytes(UTF_8);

  byte[] toBytes() {
    return ByteBuffer.allocate(BEFORE_SIGNATURE + signature.length)
        .put(VERSION)
        .putLong(writer.getMostSignificantBits())
        .putLong(writer.getLeastSignificantBits())
        .putLong(sequence)
        .put(signature)
        .array();
  }

  /** Throws {@link IllegalArgumentException} unless the bytes are a header. */
  static SignedBytes of(byte @Nullable [] header) {
    if (header == null || header.length <= BEFORE_SIGNATURE || header[0] != VERSION) {
      throw new IllegalArgumentException("the header of a signature must have version 1");
    }
    ByteBuffer bytes = ByteBuffer.wrap(header, 1, header.length - 1);
    UUID writer = new UUID(bytes.getLong(), bytes.getLong());
    long sequence = bytes.getLong();
    byte[] signature = new byte[bytes.remaining()];
    bytes.get(signature);
    return new SignedBytes(writer, sequence, signature);
  }

  static byte[] toSign(
      UUID writer, long sequence, String topic, byte @Nullable [] key, byte[] value) {
    byte[] inTopic = topic.getBytes(UTF_8);
    byte[] inKey = key == null ? new byte[0] : key;
    return ByteBuffer.allocate(
            PURPOSE.length + 16 + 8 + 4 + inTopic.length + 4 + inKey.length + value.length)
        .put(PURPOSE)
        .putLong(writer.getMostSignificantBits())
        .putLong(writer.getLeastSignificantBits())
        .putLong(sequence)
        .putInt(inTopic.length)
        .put(inTopic)
        .putInt(inKey.length)
        .put(inKey)
        .put(value)
        .array();
  }
}
