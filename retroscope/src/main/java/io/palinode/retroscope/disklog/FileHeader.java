package io.palinode.retroscope.disklog;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What a file of the log says of itself, in its first {@link #BYTES} bytes. Numbers are
 * little-endian.
 *
 * <pre>
 * as appended: | "PWFILES" | version u8 = 1 | number i64 | bytes i64 | session i64 | slot bytes i32
 *              | slots of the file before i32 | its used bytes i32 | CRC-32C i32 | zeros |
 * compacted:   | the same, of version 2, up to the used bytes
 *              | granule in µs i64 | first number i64 | slots i32 | last HLC i64 | CRC-32C i32 | zeros |
 * </pre>
 *
 * @param bytes of the whole file
 * @param compacted null: it has all that was appended
 */
record FileHeader(
    long number,
    long bytes,
    long session,
    int slotBytes,
    int slotsBefore,
    int usedBefore,
    @Nullable Compacted compacted) {
  static final int BYTES = 4_096;
  static final int VERSION = 1;
  static final int VERSION_COMPACTED = 2;

  private static final byte[] MAGIC = "PWFILES".getBytes(StandardCharsets.US_ASCII);
  private static final int NUMBER_AT = 8;
  private static final int BYTES_AT = 16;
  private static final int SESSION_AT = 24;
  private static final int SLOT_BYTES_AT = 32;
  private static final int SLOTS_BEFORE_AT = 36;
  private static final int USED_BEFORE_AT = 40;
  private static final int COMMON_END = 44;
  private static final int GRANULE_AT = 44;
  private static final int FIRST_NUMBER_AT = 52;
  private static final int SLOTS_AT = 60;
  private static final int LAST_AT = 64;
  private static final int COMPACTED_END = 72;

  /**
   * Of a file that stands for several, of which it has what leads to some times only. It is whole
   * before it is one of the log.
   *
   * @param granuleMicros the multiples of this since the epoch can be reached
   * @param firstNumber it has what the files from this on had, up to its own number
   * @param lastHlc the time of its last entry
   */
  record Compacted(long granuleMicros, long firstNumber, int slots, long lastHlc) {}

  /** Into the first bytes of a file that has zeros there. */
  void write(ByteBuffer file) {
    file.put(0, MAGIC);
    file.putLong(NUMBER_AT, number).putLong(BYTES_AT, bytes);
    file.putLong(SESSION_AT, session).putInt(SLOT_BYTES_AT, slotBytes);
    file.putInt(SLOTS_BEFORE_AT, slotsBefore).putInt(USED_BEFORE_AT, usedBefore);
    Compacted more = compacted;
    if (more == null) {
      file.put(MAGIC.length, (byte) VERSION);
    } else {
      file.put(MAGIC.length, (byte) VERSION_COMPACTED);
      file.putLong(GRANULE_AT, more.granuleMicros()).putLong(FIRST_NUMBER_AT, more.firstNumber());
      file.putInt(SLOTS_AT, more.slots()).putLong(LAST_AT, more.lastHlc());
    }
    file.putInt(end(), checksum(file, end()));
  }

  private int end() {
    return compacted == null ? COMMON_END : COMPACTED_END;
  }

  private static int checksum(ByteBuffer file, int end) {
    CRC32C crc = new CRC32C();
    crc.update(file.duplicate().limit(end).position(0));
    return (int) crc.getValue();
  }

  /**
   * Throws {@link DamagedFileException}; {@link DiskLogException} for another version, which is to
   * be kept.
   */
  static FileHeader read(ByteBuffer file, LogVolume volume, long number) throws IOException {
    String wrong = wrongFormat(file);
    if (wrong != null) {
      throw DamagedFileException.in(volume, number, wrong, Long.MAX_VALUE);
    }
    int version = file.get(MAGIC.length);
    if (version != VERSION && version != VERSION_COMPACTED) {
      throw new DiskLogException(
          "file %d in %s is of format %d, this release reads %d and %d: use the release that wrote it, or remove the folder"
              .formatted(number, volume.name(), version, VERSION, VERSION_COMPACTED),
          null);
    }
    FileHeader header = decode(file, version);
    wrong = header.wrong(file, number);
    if (wrong != null) {
      throw DamagedFileException.in(volume, number, wrong, Long.MAX_VALUE);
    }
    return header;
  }

  private static @Nullable String wrongFormat(ByteBuffer file) {
    if (file.capacity() < BYTES) {
      return "it ends too early";
    }
    for (int i = 0; i < MAGIC.length; i++) {
      if (file.get(i) != MAGIC[i]) {
        return "it is no file of a window-log";
      }
    }
    return file.get(MAGIC.length) == 0 ? "its header was not written" : null;
  }

  private static FileHeader decode(ByteBuffer file, int version) {
    Compacted compacted =
        version == VERSION
            ? null
            : new Compacted(
                file.getLong(GRANULE_AT),
                file.getLong(FIRST_NUMBER_AT),
                file.getInt(SLOTS_AT),
                file.getLong(LAST_AT));
    return new FileHeader(
        file.getLong(NUMBER_AT),
        file.getLong(BYTES_AT),
        file.getLong(SESSION_AT),
        file.getInt(SLOT_BYTES_AT),
        file.getInt(SLOTS_BEFORE_AT),
        file.getInt(USED_BEFORE_AT),
        compacted);
  }

  private @Nullable String wrong(ByteBuffer file, long expected) {
    if (file.getInt(end()) != checksum(file, end())) {
      return "the checksum of its header does not fit";
    }
    if (number != expected) {
      return "it was file " + number;
    }
    return bytes == file.capacity() ? null : "it has " + file.capacity() + " bytes, not " + bytes;
  }
}
