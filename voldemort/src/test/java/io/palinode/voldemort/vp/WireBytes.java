package io.palinode.voldemort.vp;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * Bytes, field by field, as the drawings have them. Shares nothing with the codecs, so that a
 * mistake is not made twice.
 */
public final class WireBytes {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final DataOutputStream out = new DataOutputStream(bytes);

  @FunctionalInterface
  private interface Write {
    void run() throws IOException;
  }

  private WireBytes write(Write write) {
    try {
      write.run();
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public WireBytes u8(int value) {
    return write(() -> out.writeByte(value));
  }

  public WireBytes i16(int value) {
    return write(() -> out.writeShort(value));
  }

  public WireBytes i32(int value) {
    return write(() -> out.writeInt(value));
  }

  public WireBytes i64(long value) {
    return write(() -> out.writeLong(value));
  }

  public WireBytes utf(String text) {
    return write(() -> out.writeUTF(text));
  }

  public WireBytes raw(byte[] value) {
    return write(() -> out.write(value));
  }

  /** Behind its length, four bytes. */
  public WireBytes array(byte[] value) {
    return i32(value.length).raw(value);
  }

  public WireBytes array(String text) {
    return array(text.getBytes(StandardCharsets.UTF_8));
  }

  public byte[] toBytes() {
    return bytes.toByteArray();
  }

  /** A clock with counters of {@code size} bytes: node and counter in turn. */
  public static byte[] clock(long timestamp, int size, long... entries) {
    WireBytes clock = new WireBytes().i16(entries.length / 2).u8(size);
    for (int i = 0; i < entries.length; i += 2) {
      clock.i16((int) entries[i]);
      for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
        clock.u8((int) (entries[i + 1] >>> shift));
      }
    }
    return clock.i64(timestamp).toBytes();
  }
}
