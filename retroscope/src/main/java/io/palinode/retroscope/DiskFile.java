package io.palinode.retroscope;

import io.palinode.retroscope.Segment.Part;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One file of the log. Numbers are little-endian.
 *
 * <pre>
 * | "PWFILES" | version u8 = 1 | number i64 | bytes i64 | session i64 | slot bytes i32
 * | slots of the file before i32 | its used bytes i32 | CRC-32C i32 | zeros, to 4,096 bytes |
 * | {@link Slot} | Slot | … | zeros |
 * </pre>
 *
 * A slot whose content is longer than slot bytes less its header holds one great entry. What the
 * file knows is under the log's lock; reading it is not.
 */
final class DiskFile {
  static final int HEADER_BYTES = 4_096;
  static final int VERSION = 1;

  private static final byte[] MAGIC = "PWFILES".getBytes(StandardCharsets.US_ASCII);
  private static final int NUMBER_AT = 8;
  private static final int BYTES_AT = 16;
  private static final int SESSION_AT = 24;
  private static final int SLOT_BYTES_AT = 32;
  private static final int SLOTS_BEFORE_AT = 36;
  private static final int USED_BEFORE_AT = 40;
  private static final int CHECKSUM_AT = 44;

  private final LogVolume volume;
  private final long number;
  private final int slotBytes;
  private final long base;
  private int slots;
  private int usedBytes;
  private int slotsBefore;
  private int usedBefore;
  private int pins;
  private boolean dropped;

  /** Guarded by this. */
  private @Nullable ByteBuffer mapped;

  /** One that is to be written; {@code base} is the time before its first entry. */
  DiskFile(LogVolume volume, long number, int slotBytes, long base) {
    this.volume = volume;
    this.number = number;
    this.slotBytes = slotBytes;
    this.base = base;
    this.usedBytes = HEADER_BYTES;
  }

  /**
   * Writes the header of a new file.
   *
   * @param before the file before it; null: there is none
   */
  static void writeHeader(
      ByteBuffer file, long number, long session, int slotBytes, @Nullable DiskFile before) {
    file.put(0, MAGIC).put(MAGIC.length, (byte) VERSION);
    file.putLong(NUMBER_AT, number).putLong(BYTES_AT, file.capacity());
    file.putLong(SESSION_AT, session).putInt(SLOT_BYTES_AT, slotBytes);
    file.putInt(SLOTS_BEFORE_AT, before == null ? 0 : before.slots);
    file.putInt(USED_BEFORE_AT, before == null ? 0 : before.usedBytes);
    file.putInt(CHECKSUM_AT, checksum(file));
  }

  private static int checksum(ByteBuffer file) {
    CRC32C crc = new CRC32C();
    crc.update(file.duplicate().limit(CHECKSUM_AT).position(0));
    return (int) crc.getValue();
  }

  /**
   * A file that was found, and is not written any more. Reads its header only. Throws {@link
   * DamagedFileException}; {@link DiskLogException} for another version, which is to be kept.
   *
   * @param after the file that follows; null: this is the newest
   * @param slots so many were begun at least, if it is the newest
   */
  static DiskFile found(LogVolume volume, long number, @Nullable DiskFile after, int slots)
      throws IOException {
    ByteBuffer file = volume.map(number).order(ByteOrder.LITTLE_ENDIAN);
    String wrong = wrongHeader(volume, file, number);
    if (wrong != null) {
      throw damaged(volume, number, wrong, Long.MAX_VALUE);
    }
    Slot.Found first = Slot.Found.at(file, HEADER_BYTES);
    if (first == null) {
      throw damaged(volume, number, "it has no slot", Long.MAX_VALUE);
    }
    DiskFile found = new DiskFile(volume, number, file.getInt(SLOT_BYTES_AT), first.base());
    found.slots = after == null ? slots : after.slotsBefore;
    found.usedBytes = after == null ? file.capacity() : after.usedBefore;
    found.slotsBefore = file.getInt(SLOTS_BEFORE_AT);
    found.usedBefore = file.getInt(USED_BEFORE_AT);
    return found;
  }

  /** Whether anything was written into the file; as far as can be told. */
  static boolean hasEntries(LogVolume volume, long number) throws IOException {
    ByteBuffer file = volume.map(number).order(ByteOrder.LITTLE_ENDIAN);
    Slot.Found first = Slot.Found.at(file, HEADER_BYTES);
    return first != null && first.entries() != 0;
  }

  private static @Nullable String wrongHeader(LogVolume volume, ByteBuffer file, long number) {
    if (file.capacity() < HEADER_BYTES) {
      return "it ends too early";
    }
    for (int i = 0; i < MAGIC.length; i++) {
      if (file.get(i) != MAGIC[i]) {
        return "it is no file of a window-log";
      }
    }
    if (file.get(MAGIC.length) == 0) {
      return "its header was not written";
    }
    if (file.get(MAGIC.length) != VERSION) {
      throw new DiskLogException(
          "file %d in %s is of format %d, this release reads %d: use the release that wrote it, or remove the folder"
              .formatted(number, volume.name(), file.get(MAGIC.length), VERSION),
          null);
    }
    if (file.getInt(CHECKSUM_AT) != checksum(file)) {
      return "the checksum of its header does not fit";
    }
    if (file.getLong(NUMBER_AT) != number) {
      return "it was file " + file.getLong(NUMBER_AT);
    }
    return file.getLong(BYTES_AT) == file.capacity()
        ? null
        : "it has " + file.capacity() + " bytes, not " + file.getLong(BYTES_AT);
  }

  private static DamagedFileException damaged(
      LogVolume volume, long number, String why, long goodFrom) {
    return new DamagedFileException(
        "file %d of the window-log in %s is damaged: %s".formatted(number, volume.name(), why),
        goodFrom);
  }

  /** First all places, then what lies there: so every slot but the last one is finished. */
  private List<Slot.Found> readSlots(long nextBase) throws IOException {
    ByteBuffer file = mapped();
    List<Integer> places = new ArrayList<>();
    Slot.Found next = Slot.Found.at(file, HEADER_BYTES);
    while (next != null) {
      if (!next.fitsIntoFile()) {
        throw damaged(volume, number, "the slot at " + next.at() + " has no end", nextBase);
      }
      places.add(next.at());
      next = Slot.Found.at(file, next.end());
    }
    List<Slot.Found> found = new ArrayList<>(places.size());
    for (int place : places) {
      Slot.Found slot = Slot.Found.at(file, place);
      if (slot != null) {
        found.add(slot);
      }
    }
    return found;
  }

  long number() {
    return number;
  }

  /** The time before its first entry. */
  long base() {
    return base;
  }

  /** What it takes of the disk, nearly: where the next slot begins. */
  int usedBytes() {
    return usedBytes;
  }

  /** Returns how many there are with it. */
  int addSlot(int bytes) {
    usedBytes += bytes;
    slots++;
    return slots;
  }

  /** Reads all of it, and learns from that what it takes. Returns the time of the last entry. */
  long verify() throws IOException {
    List<Slot.Found> found = readSlots(Long.MAX_VALUE);
    long last = base;
    for (Part part : read(Long.MIN_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, slots)) {
      last = part.segment().lastHlc();
    }
    slots = found.size();
    usedBytes = found.get(slots - 1).end();
    return last;
  }

  /** How many were begun until now. */
  int slots() {
    return slots;
  }

  /**
   * Parts that may have entries in {@code (start, end]}, verified. Throws {@link
   * DamagedFileException}. O(bytes of these parts). Called by any thread, while it is pinned.
   *
   * @param nextBase the base of the file that follows; {@link Long#MAX_VALUE}: none does
   * @param slotsMin so many were begun when it was pinned
   */
  List<Part> read(long start, long end, long nextBase, int slotsMin) throws IOException {
    List<Slot.Found> found = readSlots(nextBase);
    if (found.size() < slotsMin) {
      throw damaged(
          volume, number, "it has %d slots of %d".formatted(found.size(), slotsMin), nextBase);
    }
    List<Part> parts = new ArrayList<>();
    for (int i = 0; i < found.size(); i++) {
      Slot.Found slot = found.get(i);
      long last = i + 1 < found.size() ? found.get(i + 1).base() : nextBase;
      if (last > start && slot.base() <= end) {
        Segment segment = slot.read(slot.contentBytes() > slotBytes - Slot.HEADER_BYTES);
        // Entries at its end may be missing and the rest be whole.
        if (segment == null || (last != Long.MAX_VALUE && segment.lastHlc() != last)) {
          throw damaged(
              volume, number, "the slot at %d is not what was written".formatted(slot.at()), last);
        }
        parts.add(segment.part().within(start, end));
      }
    }
    return parts;
  }

  private synchronized ByteBuffer mapped() throws IOException {
    ByteBuffer known = mapped;
    if (known == null) {
      known = volume.map(number).order(ByteOrder.LITTLE_ENDIAN);
      mapped = known;
    }
    return known;
  }

  /** When nobody refers to it the collector unmaps it. */
  private synchronized void unmap() {
    mapped = null;
  }

  void pin() {
    pins++;
  }

  void unpin() {
    pins--;
    if (pins == 0) {
      unmap();
    }
  }

  /** The log has no use for it any more. Those who have pinned it read on. */
  void drop() throws IOException {
    if (!dropped) {
      dropped = true;
      if (pins > 0) {
        // Who has pinned it may not have mapped it yet.
        mapped();
      }
      volume.remove(number, pins > 0);
    }
  }
}
