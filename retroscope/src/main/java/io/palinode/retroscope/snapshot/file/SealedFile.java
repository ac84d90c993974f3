package io.palinode.retroscope.snapshot.file;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * A small file that is written and read whole.
 *
 * <pre>
 * | magic, 4 bytes of ASCII | version u8 = 1 | body | CRC-32C of all before, i32 |
 * </pre>
 *
 * Numbers are big-endian; a text is its length in bytes (i32) and UTF-8.
 */
public final class SealedFile {
  static final int VERSION = 1;

  private static final int HEAD_BYTES = 5;
  private static final int TEXT_BYTES_MAX = 1 << 16;

  private SealedFile() {}

  /** Writes a body. */
  @FunctionalInterface
  interface Body {
    void writeTo(DataOutputStream out) throws IOException;
  }

  /** Reads a body. */
  @FunctionalInterface
  interface Reader<T> {
    T readFrom(DataInputStream in) throws IOException;
  }

  static byte[] encode(String magic, Body body) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.write(magic.getBytes(StandardCharsets.US_ASCII));
      out.writeByte(VERSION);
      body.writeTo(out);
      out.writeInt(checksum(bytes.toByteArray()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /** Throws {@link SnapshotException} when the bytes are not what was written. */
  static <T> T decode(String what, String magic, byte[] bytes, Reader<T> body) {
    int end = bytes.length - Integer.BYTES;
    byte[] expected = magic.getBytes(StandardCharsets.US_ASCII);
    if (end < HEAD_BYTES || !Arrays.equals(expected, Arrays.copyOf(bytes, expected.length))) {
      throw new SnapshotException(what + " is damaged: it does not begin with " + magic);
    }
    if (bytes[HEAD_BYTES - 1] != VERSION) {
      throw new SnapshotException(
          what + " must be of format 1: found " + Byte.toUnsignedInt(bytes[HEAD_BYTES - 1]));
    }
    if (ByteBuffer.wrap(bytes).getInt(end) != checksum(Arrays.copyOf(bytes, end))) {
      throw new SnapshotException(what + " is damaged: its checksum does not fit");
    }
    try (DataInputStream in =
        new DataInputStream(new ByteArrayInputStream(bytes, HEAD_BYTES, end - HEAD_BYTES))) {
      T decoded = body.readFrom(in);
      if (in.available() > 0) {
        throw new SnapshotException(what + " is damaged: it is too long");
      }
      return decoded;
    } catch (IOException e) {
      throw new SnapshotException(what + " is damaged: it ends too early", e);
    }
  }

  public static int checksum(byte[] bytes) {
    return checksum(ByteBuffer.wrap(bytes));
  }

  /** Of what remains; reads it. */
  static int checksum(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }

  static void writeText(DataOutputStream out, String text) throws IOException {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(utf8.length);
    out.write(utf8);
  }

  static String readText(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > TEXT_BYTES_MAX) {
      throw new SnapshotException("a text must have at most 65536 bytes: " + length);
    }
    return new String(in.readNBytes(length), StandardCharsets.UTF_8);
  }
}
