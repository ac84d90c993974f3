package io.palinode.retroscope.disklog;

import io.palinode.hvc.Hlc;
import io.palinode.retroscope.segment.Segment;
import io.palinode.retroscope.segment.Segment.Part;
import io.palinode.retroscope.segment.Slot;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One file of the log: a {@link FileHeader}, then {@link Slot}s, then zeros. A slot whose content
 * is longer than slot bytes less its header holds one great entry. What the file knows is under the
 * log's lock; reading it is not.
 */
public final class DiskFile {
  public static final int HEADER_BYTES = FileHeader.BYTES;

  private final LogVolume volume;
  private final long number;
  private final int slotBytes;
  private final long base;
  private final int slotsBefore;
  private final int usedBefore;
  private final FileHeader.@Nullable Compacted compacted;
  private int slots;
  private int usedBytes;
  private int pins;
  private boolean dropped;

  /** Guarded by this. */
  private @Nullable ByteBuffer mapped;

  /**
   * @param base the time before its first entry
   */
  DiskFile(LogVolume volume, FileHeader header, long base) {
    this.volume = volume;
    this.number = header.number();
    this.slotBytes = header.slotBytes();
    this.base = base;
    this.compacted = header.compacted();
    this.slotsBefore = header.slotsBefore();
    this.usedBefore = header.usedBefore();
    if (compacted == null) {
      usedBytes = HEADER_BYTES;
    } else {
      slots = compacted.slots();
      usedBytes = Math.toIntExact(header.bytes());
    }
  }

  /**
   * Of a new file.
   *
   * @param before the one that it follows; null: it is the first
   */
  static FileHeader header(
      long number, long bytes, long session, int slotBytes, @Nullable DiskFile before) {
    int slots = before == null ? 0 : before.slots;
    int usedBytes = before == null ? 0 : before.usedBytes;
    return new FileHeader(number, bytes, session, slotBytes, slots, usedBytes, null);
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
    FileHeader header = FileHeader.read(file, volume, number);
    Slot.Found first = Slot.Found.at(file, HEADER_BYTES);
    if (first == null) {
      throw DamagedFileException.in(volume, number, "it has no slot", Long.MAX_VALUE);
    }
    DiskFile found = new DiskFile(volume, header, first.base());
    if (found.compacted == null) {
      found.slots = after == null ? slots : after.slotsBefore;
      found.usedBytes = after == null ? file.capacity() : after.usedBefore;
    }
    return found;
  }

  /** Whether the file has entries, as far as its bytes show. */
  static boolean hasEntries(LogVolume volume, long number) throws IOException {
    ByteBuffer file = volume.map(number).order(ByteOrder.LITTLE_ENDIAN);
    Slot.Found first = Slot.Found.at(file, HEADER_BYTES);
    return first != null && first.entries() != 0;
  }

  /** First all places, then what lies there: so every slot but the last one is finished. */
  private List<Slot.Found> readSlots(long nextBase) throws IOException {
    ByteBuffer file = mappedOrMissing(nextBase);
    List<Integer> places = new ArrayList<>();
    Slot.Found next = Slot.Found.at(file, HEADER_BYTES);
    while (next != null) {
      if (!next.fitsIntoFile()) {
        throw DamagedFileException.in(
            volume, number, "the slot at " + next.at() + " has no end", nextBase);
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

  /** It has what the files from this on had, up to its own number. */
  long firstNumber() {
    return compacted == null ? number : compacted.firstNumber();
  }

  /** In HLC: only multiples of it can be reached here; 0: every time can. */
  long granuleHlc() {
    return compacted == null ? 0 : Hlc.ofMicros(compacted.granuleMicros());
  }

  /** Of a compacted file that stands for this one and those behind it up to {@code asNumber}. */
  FileHeader headerOf(
      long asNumber, long bytes, long session, int ofSlotBytes, FileHeader.Compacted what) {
    return new FileHeader(asNumber, bytes, session, ofSlotBytes, slotsBefore, usedBefore, what);
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
      throw DamagedFileException.in(
          volume, number, "it has %d slots of %d".formatted(found.size(), slotsMin), nextBase);
    }
    // In a compacted file the last entry may be one of those that are not there.
    long behind = compacted == null ? nextBase : compacted.lastHlc();
    List<Part> parts = new ArrayList<>();
    for (int i = 0; i < found.size(); i++) {
      Slot.Found slot = found.get(i);
      long last = i + 1 < found.size() ? found.get(i + 1).base() : behind;
      if (last > start && slot.base() <= end) {
        Segment segment = slot.read(slot.contentBytes() > slotBytes - Slot.HEADER_BYTES);
        // Entries at its end may be missing and the rest be whole.
        if (segment == null || (last != Long.MAX_VALUE && segment.lastHlc() != last)) {
          throw DamagedFileException.in(
              volume, number, "the slot at %d is not what was written".formatted(slot.at()), last);
        }
        parts.add(segment.part().within(start, end));
      }
    }
    return parts;
  }

  /** They may not have mapped it yet. */
  private void mapForThosePinning() throws IOException {
    try {
      mapped();
    } catch (FileNotFoundException gone) {
      // Somebody has removed it: they will see that.
    }
  }

  /** One that somebody has removed is damaged; any other failure says nothing of what it has. */
  private ByteBuffer mappedOrMissing(long nextBase) throws IOException {
    try {
      return mapped();
    } catch (FileNotFoundException e) {
      throw DamagedFileException.in(volume, number, "it is missing", nextBase);
    }
  }

  private synchronized ByteBuffer mapped() throws IOException {
    ByteBuffer known = mapped;
    if (known == null) {
      known = volume.map(number).order(ByteOrder.LITTLE_ENDIAN);
      mapped = known;
    }
    return known;
  }

  /** The garbage collector unmaps the file once nothing refers to it. */
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

  /** Removes the file from the log. Readers that have pinned it continue. */
  void drop() throws IOException {
    if (!dropped) {
      dropped = true;
      if (pins > 0) {
        mapForThosePinning();
      }
      volume.remove(number, pins > 0);
    }
  }
}
