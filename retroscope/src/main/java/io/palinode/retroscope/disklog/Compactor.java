package io.palinode.retroscope.disklog;

import io.palinode.retroscope.segment.Cursor;
import io.palinode.retroscope.segment.KeyDictionary;
import io.palinode.retroscope.segment.Segment;
import io.palinode.retroscope.segment.Segment.Part;
import io.palinode.retroscope.segment.Slot;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes one file of some that follow each other: of each key, the first entry of each stretch of
 * time. That has what the key had when the stretch began; what follows leads to times within it. An
 * entry that stays for nothing does no harm: so keys are remembered up to a number only, and not
 * past the file. For one thread, once, outside of the log's lock, while the files are pinned.
 */
public final class Compactor {
  /** Fewer files of the usual size are not worth the work. */
  static final int FILES_MIN = 4;

  static final int FILES_MAX = 16;

  /**
   * One that is made takes as much as so many. Keys are remembered within one file only. A stretch
   * that continues in the next file lists them twice; the longer the stretch, the less that costs.
   */
  private static final int MADE_FILES = 4;

  /** Of keys that are remembered. */
  private static final int KEYS_MAX = 1 << 18;

  private static final long KEYS_BYTES_MAX = 32 << 20;

  private static final int KEYS_CHUNK_BYTES = 1 << 16;

  /** More than that of what there was: not worth to lose times for. */
  private static final double USED_MAX = 0.9;

  private final LogVolume volume;
  private final DiskLog.Layout layout;
  private final Compaction how;
  private final long session;
  private final DiskLog.Pinned sources;
  private final long base;
  private final Cursor entry = new Cursor();
  private KeyDictionary keys = new KeyDictionary(ByteBuffer::allocate, KEYS_CHUNK_BYTES, 0);

  /** Of each key's last entry; 0: none. */
  private long[] stretches = new long[1_024];

  private LogVolume.@Nullable Fresh fresh;
  private @Nullable Slot slot;
  private int used = FileHeader.BYTES;
  private int slots;
  private long last;
  private int taken;
  private boolean isThrough;
  private boolean isDamaged;
  private @Nullable DiskFile made;

  Compactor(
      LogVolume volume,
      DiskLog.Layout layout,
      Compaction how,
      long session,
      DiskLog.Pinned sources) {
    this.volume = volume;
    this.layout = layout;
    this.how = how;
    this.session = session;
    this.sources = sources;
    this.base = sources.files().get(0).base();
    this.last = base;
  }

  /** Whether a compacted file is so small that the next compaction includes it. */
  static boolean isSmall(DiskFile file, DiskLog.Layout layout) {
    return file.usedBytes() < (long) MADE_FILES * layout.fileBytes() / 2;
  }

  /** What it was given. */
  DiskLog.Pinned sources() {
    return sources;
  }

  /** As many of them as the new file stands for. */
  List<DiskFile> taken() {
    return sources.files().subList(0, taken);
  }

  /** Those up to this number are not to be tried again: not worth it, or damaged; 0: all are. */
  long tried() {
    int count = isThrough && made == null ? taken : isDamaged ? taken + 1 : 0;
    return count == 0 ? 0 : sources.files().get(count - 1).number();
  }

  /** The new file, which is not in its place yet; null: it is not worth it. */
  @Nullable DiskFile made() {
    return made;
  }

  /**
   * Writes the new file. Throws {@link DamagedFileException}, and {@link IOException} when there is
   * no room.
   *
   * @param pause called after about every 64 KiB
   */
  public void run(Runnable pause) throws IOException {
    long before = 0;
    // Entries that are gone make steps of time longer by some bytes; what is not used is no space.
    long sum = sources.files().stream().mapToLong(DiskFile::usedBytes).sum();
    try (LogVolume.Fresh begun =
        volume.rewrite((int) Math.min(Integer.MAX_VALUE - 8, 2 * sum + layout.fileBytes()))) {
      fresh = begun;
      begun.reserve(0, FileHeader.BYTES);
      ByteBuffer into = begun.bytes().order(ByteOrder.LITTLE_ENDIAN);
      while (taken < sources.files().size()
          && (taken == 0 || used < (long) MADE_FILES * layout.fileBytes())) {
        take(into, read(taken), pause);
        before += sources.files().get(taken).usedBytes();
        taken++;
      }
      isThrough = true;
      if (slots > 0 && used <= USED_MAX * before) {
        finish(into);
      }
    }
  }

  private List<Part> read(int index) throws IOException {
    try {
      return sources.read(index);
    } catch (DamagedFileException damaged) {
      isDamaged = true;
      throw damaged;
    }
  }

  private void take(ByteBuffer into, List<Part> parts, Runnable pause) throws IOException {
    for (Part part : parts) {
      entry.open(part, Long.MIN_VALUE);
      while (entry.next()) {
        if (isFirst()) {
          write(into, entry.hlc(), entry.copyKey(), entry.copyOld());
        }
      }
      pause.run();
    }
  }

  private boolean isFirst() {
    if (keys.size() >= KEYS_MAX || keys.bytes() > KEYS_BYTES_MAX) {
      keys = new KeyDictionary(ByteBuffer::allocate, KEYS_CHUNK_BYTES, 0);
      stretches = new long[KEYS_MAX];
    }
    // What is of the very time at which the file begins is no part of the stretch behind it.
    long hlc = entry.hlc();
    long stretch = hlc <= base ? 1 : 2 + Compaction.stretch(hlc, how.granuleHlc());
    int number = keys.intern(entry.bytes(), entry.keyAt(), entry.keyLength());
    if (number >= stretches.length) {
      stretches = Arrays.copyOf(stretches, 2 * number);
    }
    boolean first = stretches[number] != stretch;
    stretches[number] = stretch;
    return first;
  }

  private void write(ByteBuffer into, long hlc, byte[] key, byte @Nullable [] old)
      throws IOException {
    long size = Segment.bytesMax(key, old);
    Slot target = slot;
    if (target == null || !target.hasRoomFor(size)) {
      int slotBytes = layout.slotBytesFor(size);
      if (fresh != null) {
        fresh.reserve(used, slotBytes);
      }
      boolean great = slotBytes > layout.slotBytes();
      target = Slot.begin(into, used, slotBytes - Slot.HEADER_BYTES, last, great);
      slot = target;
      used += slotBytes;
      slots++;
    }
    target.write(hlc, key, old);
    last = hlc;
  }

  private void finish(ByteBuffer into) {
    DiskFile first = sources.files().get(0);
    long number = sources.files().get(taken - 1).number();
    FileHeader.Compacted compacted =
        new FileHeader.Compacted(how.granuleMicros(), first.firstNumber(), slots, last);
    FileHeader header = first.headerOf(number, used, session, layout.slotBytes(), compacted);
    header.write(into);
    made = new DiskFile(volume, header, base);
  }
}
