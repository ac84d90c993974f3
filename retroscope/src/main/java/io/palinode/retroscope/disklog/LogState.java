package io.palinode.retroscope.disklog;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What a window-log on disk says of itself. Numbers are little-endian.
 *
 * <pre>
 * | "PWSTATE" | version u8 = 1 | phase, 8 bytes of ASCII | newest slot i64 | session i64
 * | boot, label: each its length u16 and UTF-8 | CRC-32C i32 | zeros, to 512 bytes |
 * </pre>
 *
 * Phase and newest slot are put in place as things go, so the checksum leaves them out. The newest
 * slot is the number of its file, and in the lower 24 bits which one of that it is.
 */
public final class LogState {
  public static final int BYTES = 512;
  static final int VERSION = 1;

  private static final byte[] MAGIC = "PWSTATE".getBytes(StandardCharsets.US_ASCII);
  private static final int PHASE_AT = 8;
  private static final int NEWEST_AT = 16;
  private static final int SESSION_AT = 24;
  private static final int TEXT_BYTES_MAX = 200;
  private static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final ByteBuffer bytes;

  /** Whether the log is as its store left it. */
  enum Phase {
    /** It is being written: whole if the machine ran on. */
    OPEN("open"),
    /** It was forced to the medium after its last entry. */
    CLOSED("closed"),
    /** Entries are missing at its end. */
    BROKEN("broken");

    private final long code;

    /** A text: one that was damaged is no other one. */
    Phase(String code) {
      byte[] padded = Arrays.copyOf(code.getBytes(StandardCharsets.US_ASCII), Long.BYTES);
      this.code = ByteBuffer.wrap(padded).order(ByteOrder.LITTLE_ENDIAN).getLong();
    }
  }

  /** What was read. */
  record Found(@Nullable Phase phase, long newest, long session, String boot, String label) {}

  /** Over bytes that {@link #encode} made. */
  LogState(ByteBuffer bytes) {
    this.bytes = bytes.order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Of an open log. */
  static byte[] encode(long newest, long session, String boot, String label) {
    ByteBuffer out = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
    out.put(MAGIC).put((byte) VERSION).putLong(Phase.OPEN.code);
    out.putLong(newest).putLong(session);
    putText(out, boot);
    putText(out, label);
    out.putInt(checksum(out.array(), out.position()));
    return out.array();
  }

  private static void putText(ByteBuffer out, String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    if (utf8.length > TEXT_BYTES_MAX) {
      throw new IllegalArgumentException(
          "a name must have at most " + TEXT_BYTES_MAX + " bytes: " + text);
    }
    out.putShort((short) utf8.length).put(utf8);
  }

  /**
   * Null: damaged. Throws {@link DiskLogException} for another version, which is to be kept.
   *
   * @param where for the message
   */
  static @Nullable Found decode(byte[] state, String where) {
    if (state.length < SESSION_AT
        || !Arrays.equals(MAGIC, 0, MAGIC.length, state, 0, MAGIC.length)) {
      return null;
    }
    if (state[MAGIC.length] != VERSION) {
      throw new DiskLogException(
          "the window-log in %s is of format %d, this release reads %d: use the release that wrote it, or remove the folder"
              .formatted(where, state[MAGIC.length], VERSION),
          null);
    }
    ByteBuffer in = ByteBuffer.wrap(state).order(ByteOrder.LITTLE_ENDIAN).position(SESSION_AT);
    try {
      long session = in.getLong();
      String boot = text(in);
      String label = text(in);
      int end = in.position();
      return in.getInt() == checksum(state, end)
          ? new Found(phase(in.getLong(PHASE_AT)), in.getLong(NEWEST_AT), session, boot, label)
          : null;
    } catch (BufferUnderflowException e) {
      return null;
    }
  }

  private static @Nullable Phase phase(long code) {
    return Arrays.stream(Phase.values()).filter(each -> each.code == code).findAny().orElse(null);
  }

  private static String text(ByteBuffer in) {
    byte[] utf8 = new byte[Short.toUnsignedInt(in.getShort()) % (TEXT_BYTES_MAX + 1)];
    in.get(utf8);
    return new String(utf8, StandardCharsets.UTF_8);
  }

  private static int checksum(byte[] state, int end) {
    CRC32C crc = new CRC32C();
    crc.update(state, 0, PHASE_AT);
    crc.update(state, SESSION_AT, end - SESSION_AT);
    return (int) crc.getValue();
  }

  void phase(Phase phase) {
    LONGS.setRelease(bytes, PHASE_AT, phase.code);
  }

  void newest(long newest) {
    LONGS.setRelease(bytes, NEWEST_AT, newest);
  }

  static long newestOf(long number, int slot) {
    return number << 24 | slot;
  }

  static long number(long newest) {
    return newest >>> 24;
  }

  static int slot(long newest) {
    return (int) newest & 0xFF_FFFF;
  }
}
