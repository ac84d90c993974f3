package io.palinode.voldemort.vp;

import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.Versioned;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The bytes of answers in the native protocols. A client takes an answer as complete if it ends at
 * the end of a buffer, so no bytes may follow it.
 *
 * <pre>
 * code i16 = 0 | by operation
 *
 * GET          versions
 * GET_VERSION  n i32 | n × (length i32, clock)
 * GET_ALL      n i32 | n × (length i32, key | versions)     only keys that are present
 * PUT          nothing
 * DELETE       was there something u8
 *
 * versions     n i32 | n × (length i32, clock and value)
 *
 * or: code i16 ({@link ErrorCode}) | message, length u16, modified UTF-8
 * </pre>
 */
public final class VpAnswer {
  /** The same limit as for a pb0 message. */
  public static final int ANSWER_BYTES_MAX = RequestScan.REQUEST_BYTES_MAX;

  /** A char takes at most three bytes, and the length of a text is a u16. */
  private static final int TEXT_CHARS_MAX = 0xFFFF / 3;

  private static final int CODE_BYTES = Short.BYTES;

  private VpAnswer() {}

  /** A key and its versions. */
  public record Found(byte[] key, List<Versioned> versions) {
    public Found {
      versions = List.copyOf(versions);
    }

    private long size() {
      return Integer.BYTES + key.length + versionsSize(versions);
    }
  }

  /** Thrown for an answer longer than {@link #ANSWER_BYTES_MAX}. */
  public static final class TooLongException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooLongException(long bytes) {
      super("an answer must be at most %d bytes: bytes=%d".formatted(ANSWER_BYTES_MAX, bytes));
    }
  }

  /** The answer to GET. Throws {@link TooLongException}, as all these methods do. */
  public static byte[] get(List<Versioned> versions) {
    byte[] answer = served(versionsSize(versions));
    put(body(answer), versions);
    return answer;
  }

  public static byte[] getVersion(List<Versioned> versions) {
    long size = Integer.BYTES;
    for (Versioned version : versions) {
      size += Integer.BYTES + version.clock().encodedSize();
    }
    byte[] answer = served(size);
    ByteBuffer out = body(answer).putInt(versions.size());
    for (Versioned version : versions) {
      out.putInt(version.clock().encodedSize());
      version.clock().writeTo(out);
    }
    return answer;
  }

  public static byte[] getAll(List<Found> found) {
    byte[] answer = served(Integer.BYTES + found.stream().mapToLong(Found::size).sum());
    ByteBuffer out = body(answer).putInt(found.size());
    for (Found one : found) {
      put(out.putInt(one.key().length).put(one.key()), one.versions());
    }
    return answer;
  }

  public static byte[] put() {
    return served(0);
  }

  public static byte[] delete(boolean found) {
    byte[] answer = served(1);
    body(answer).put((byte) (found ? 1 : 0));
    return answer;
  }

  /** The answer to a refused request. Truncates a long message. */
  public static byte[] error(ErrorCode code, String message) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeShort(code.code());
      out.writeUTF(message.substring(0, Math.min(message.length(), TEXT_CHARS_MAX)));
    } catch (IOException e) {
      throw new UncheckedIOException("memory is always written to", e);
    }
    return bytes.toByteArray();
  }

  /** An answer with code 0 and room for its body. */
  private static byte[] served(long bytes) {
    if (bytes > ANSWER_BYTES_MAX - CODE_BYTES) {
      throw new TooLongException(bytes);
    }
    return new byte[CODE_BYTES + (int) bytes];
  }

  private static ByteBuffer body(byte[] answer) {
    return ByteBuffer.wrap(answer).position(CODE_BYTES);
  }

  private static long versionsSize(List<Versioned> versions) {
    long size = Integer.BYTES;
    for (Versioned version : versions) {
      size += Integer.BYTES + version.clock().encodedSize() + version.value().length;
    }
    return size;
  }

  private static void put(ByteBuffer out, List<Versioned> versions) {
    out.putInt(versions.size());
    for (Versioned version : versions) {
      out.putInt(version.clock().encodedSize() + version.value().length);
      version.clock().writeTo(out);
      out.put(version.value());
    }
  }
}
