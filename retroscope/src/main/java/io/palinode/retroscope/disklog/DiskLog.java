package io.palinode.retroscope.disklog;

import io.palinode.hvc.Hlc;
import io.palinode.retroscope.disklog.LogState.Phase;
import io.palinode.retroscope.segment.Segment;
import io.palinode.retroscope.segment.Slot;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The window-log's entries in files, beside those in memory: further back, and after a restart.
 *
 * <p>What is appended is in mapped files when {@link #append} returns, so it outlives the process,
 * but not the machine: nothing is forced before {@link #close}. A log is used again only when
 * nothing can be missing between its end and its store: it was closed in order, or the machine has
 * not restarted; and the store was never open without it. Otherwise the log begins empty. (ADR
 * 0012.)
 *
 * <p>No failure of a file reaches the caller of an append. Without room the log drops its oldest
 * files; if that does not suffice, it drops all and tries again later.
 *
 * <p>Opened and begun by one thread, then under the window-log's lock, except that what was pinned
 * is read outside of it.
 */
public final class DiskLog {
  private static final long RETRY_HLC = Hlc.ofMicros(10_000_000);
  private static final int GREAT_SLOT_STEP = 4_096;

  private final LogVolume volume;
  private final DiskBound bound;
  private final Layout layout;
  private final String label;
  private final DiskWatch watch;
  private final long ageMaxHlc;
  private final DiskFiles files;

  private long session;
  private @Nullable LogState state;
  private LogVolume.@Nullable Fresh fresh;
  private @Nullable ByteBuffer freshBytes;
  private @Nullable Slot slot;
  private long nextNumber;
  private long last;
  private long retryAt;
  private long newest;
  private boolean closed;
  private boolean compacting;
  private long compactionTried;
  private @Nullable String failure;

  /** How great files and slots are. */
  public record Layout(int fileBytes, int slotBytes) {
    private static final int SLOT_BYTES = 64 << 10;
    private static final int FILE_BYTES_MAX = 64 << 20;
    private static final int FILES = 64;
    private static final int SLOTS_MIN = 16;

    /** A bound is kept to one of so many files. */
    static Layout of(DiskBound bound) {
      long slots = Math.min(FILE_BYTES_MAX, bound.bytesMax() / FILES) / SLOT_BYTES;
      return new Layout(
          (int) Math.max(SLOTS_MIN, slots) * SLOT_BYTES + DiskFile.HEADER_BYTES, SLOT_BYTES);
    }

    /** What a slot takes in which an entry of {@code size} has room. */
    int slotBytesFor(long size) {
      if (size <= slotBytes - Slot.HEADER_BYTES) {
        return slotBytes;
      }
      long steps = (size + Slot.HEADER_BYTES + GREAT_SLOT_STEP - 1) / GREAT_SLOT_STEP;
      return Math.toIntExact(steps * GREAT_SLOT_STEP);
    }

    /** A multiple of eight, so that each slot's words are aligned. */
    public Layout {
      if (slotBytes % Long.BYTES != 0
          || slotBytes < 64
          || slotBytes > Segment.BYTES_MAX
          || fileBytes < DiskFile.HEADER_BYTES + slotBytes) {
        throw new IllegalArgumentException(
            "slots must be of a multiple of 8 bytes, and one fit into a file: fileBytes="
                + fileBytes
                + " slotBytes="
                + slotBytes);
      }
    }
  }

  private DiskLog(
      LogVolume volume,
      DiskBound bound,
      Layout layout,
      String label,
      FoundLog found,
      DiskWatch watch) {
    this.volume = volume;
    this.bound = bound;
    this.layout = layout;
    this.label = label;
    this.watch = watch;
    this.ageMaxHlc = Compaction.hlc(bound.ageMax());
    this.nextNumber = found.nextNumber();
    this.newest = found.newest();
    this.last = found.last();
    this.files = new DiskFiles(found.files());
  }

  /**
   * Finds what there is. Nothing is changed before {@link #begin}. Throws {@link DiskLogException}
   * for a log of another label or format.
   *
   * @param label whose log it is; the same at each opening
   * @param session the store's number of its last run, which it keeps itself; 0: there was none. A
   *     log that was not open in that run begins empty
   */
  public static DiskLog open(
      LogVolume volume, DiskBound bound, String label, long session, DiskWatch watch) {
    return open(volume, bound, Layout.of(bound), label, session, watch);
  }

  public static DiskLog open(
      LogVolume volume,
      DiskBound bound,
      Layout layout,
      String label,
      long session,
      DiskWatch watch) {
    FoundLog found = FoundLog.in(volume, label, session, watch);
    if (found.lost() != null) {
      watch.lost("the window-log in %s begins empty: %s".formatted(volume.name(), found.lost()));
    }
    return new DiskLog(volume, bound, layout, label, found, watch);
  }

  /** The time of the last entry that was found; 0: there is none. */
  public long last() {
    return last;
  }

  /**
   * Starts the entries of another run of the store. Removes files that cannot be used. If the disk
   * cannot be written, the log notifies the watch and tries again later.
   *
   * @param newSession the store's number of this run: it must know it by now, whatever happens
   */
  public void begin(long newSession) {
    session = newSession;
    try {
      writeState();
      for (long number : volume.numbers()) {
        if (!files.contains(number)) {
          volume.remove(number, false);
        }
      }
      volume.discardRewrite();
      volume.forceState();
    } catch (IOException e) {
      giveUp(e, last);
    }
  }

  /** Its owner continues at {@code hlc}: a log without any entry also has a reach. */
  public void goOn(long hlc) {
    if (files.isEmpty() && failure == null) {
      try {
        roll(0, hlc);
      } catch (IOException | RuntimeException e) {
        giveUp(e, hlc);
      }
    }
  }

  private LogState writeState() throws IOException {
    byte[] encoded = LogState.encode(newest, session, volume.boot(), label);
    LogState begun = new LogState(volume.writeState(encoded));
    state = begun;
    return begun;
  }

  /** The earliest time that can be reached from the disk; {@link Long#MAX_VALUE}: none can. */
  public long reach() {
    return files.earliest();
  }

  /** From here on every time can; {@link Long#MAX_VALUE}: none can. */
  public long exactReach() {
    return files.exactFrom();
  }

  /** In HLC: before {@link #exactReach} only multiples of this can be reached; 0: see there. */
  public long granuleHlc() {
    return files.granuleHlc();
  }

  /** The last time at or before {@code hlc} that can be reached; -1: none can. */
  public long floor(long hlc) {
    return files.floor(hlc);
  }

  /** What the files take, nearly. */
  public long bytes() {
    return files.bytes();
  }

  /** Why nothing is written; null: it is. */
  public @Nullable String failure() {
    return failure;
  }

  /**
   * Never fails: see the class.
   *
   * @param before the time of the entry before
   */
  public void append(long hlc, long before, byte[] key, byte @Nullable [] old) {
    if (closed || (failure != null && hlc < retryAt)) {
      return;
    }
    try {
      Slot target = slot;
      long size = Segment.bytesMax(key, old);
      if (target == null || !target.hasRoomFor(size)) {
        target = roll(size, before);
      }
      target.write(hlc, key, old);
      last = hlc;
    } catch (IOException | RuntimeException | InternalError e) {
      // A mapped page that cannot be written is an InternalError.
      giveUp(e, hlc);
    }
  }

  private Slot roll(long size, long before) throws IOException {
    trim();
    int slotBytes = layout.slotBytesFor(size);
    ByteBuffer into = freshBytes;
    DiskFile file = files.last();
    if (into == null || file == null || into.capacity() - file.usedBytes() < slotBytes) {
      file = beginFile(Math.max(layout.fileBytes(), DiskFile.HEADER_BYTES + slotBytes), before);
      into = Objects.requireNonNull(freshBytes);
    }
    int at = file.usedBytes();
    reserve(at, slotBytes);
    boolean great = slotBytes > layout.slotBytes();
    Slot begun = Slot.begin(into, at, slotBytes - Slot.HEADER_BYTES, last, great);
    files.addBytes(slotBytes);
    newest = LogState.newestOf(file.number(), file.addSlot(slotBytes));
    // Known before there is an entry in it: if it is missing, that is seen.
    LogState known = state;
    if (known == null) {
      writeState();
    } else {
      known.newest(newest);
    }
    slot = begun;
    if (failure != null) {
      failure = null;
      watch.repaired("the window-log in %s is written again".formatted(volume.name()));
    }
    return begun;
  }

  private DiskFile beginFile(int fileBytes, long before) throws IOException {
    seal();
    leaveRoom(fileBytes);
    long number = nextNumber++;
    LogVolume.Fresh begun = volume.create(number, fileBytes);
    fresh = begun;
    reserve(0, DiskFile.HEADER_BYTES);
    ByteBuffer into = begun.bytes().order(ByteOrder.LITTLE_ENDIAN);
    FileHeader header =
        DiskFile.header(number, fileBytes, session, layout.slotBytes(), files.last());
    header.write(into);
    freshBytes = into;
    if (files.isEmpty()) {
      last = before;
    }
    DiskFile file = new DiskFile(volume, header, last);
    files.add(file, before);
    return file;
  }

  private void seal() throws IOException {
    slot = null;
    freshBytes = null;
    if (fresh != null) {
      fresh.close();
      fresh = null;
    }
  }

  /**
   * The store needs room too: if too little is left, the oldest files go. The newest remain, up to
   * the size of one full file: a run of the node may have written a few bytes only, and without
   * these files a node that starts on a full disk would lose its reach.
   */
  private void leaveRoom(int fileBytes) throws IOException {
    while (files.bytesAfterFirst() >= layout.fileBytes()
        && volume.freeBytes() - fileBytes < bound.freeBytesMin()) {
      files.dropFirst();
    }
  }

  private void reserve(int from, int slotBytes) throws IOException {
    LogVolume.Fresh into = fresh;
    while (into != null) {
      try {
        into.reserve(from, slotBytes);
        return;
      } catch (IOException full) {
        if (!files.dropFirst()) {
          throw full;
        }
      }
    }
  }

  private void trim() throws IOException {
    long oldest = last - Math.min(last, ageMaxHlc);
    while (files.size() > 1 && (files.bytes() > bound.bytesMax() || files.secondBase() < oldest)) {
      files.dropFirst();
    }
  }

  /** First invalidates the files, so that no start takes the rest for a whole log. */
  private void giveUp(Throwable why, long hlc) {
    markBroken(why);
    if (failure == null) {
      watch.lost(
          "the window-log in %s cannot be written, it reaches no further back than memory until it can: %s"
              .formatted(volume.name(), why));
    }
    failure = String.valueOf(why.getMessage());
    retryAt = hlc + RETRY_HLC;
    try {
      seal();
    } catch (IOException e) {
      why.addSuppressed(e);
    }
    files.dropAll(why);
    newest = 0;
    // What could not be removed must not seem to be followed.
    nextNumber++;
  }

  private void markBroken(Throwable why) {
    try {
      if (state != null) {
        state.phase(Phase.BROKEN);
      }
    } catch (InternalError e) {
      // Then the removal of the files shows it.
      why.addSuppressed(e);
    }
    state = null;
  }

  /** Those that may have entries in {@code (start, end]}. */
  public Pinned pin(long start, long end) {
    return files.pin(start, end);
  }

  /**
   * Files that stay readable, of each the base of the file behind it and how many slots it had.
   *
   * @param endMax what follows is not read
   */
  public record Pinned(
      List<DiskFile> files, List<Long> nextBases, List<Integer> slots, long endMax) {
    public static final Pinned NONE = new Pinned(List.of(), List.of(), List.of(), 0);

    /**
     * Not under the log's lock. Throws {@link DamagedFileException}; any other exception says
     * nothing of what the files have.
     */
    public List<Segment.Part> read(long start, long end) throws IOException {
      List<Segment.Part> parts = new ArrayList<>();
      for (int i = 0; i < files.size(); i++) {
        parts.addAll(
            files.get(i).read(start, Math.min(end, endMax), nextBases.get(i), slots.get(i)));
      }
      return parts;
    }

    /** One of them, all of it. Throws {@link DamagedFileException}. */
    public List<Segment.Part> read(int index) throws IOException {
      return files
          .get(index)
          .read(Long.MIN_VALUE, Long.MAX_VALUE, nextBases.get(index), slots.get(index));
    }

    public void unpin() {
      files.forEach(DiskFile::unpin);
    }
  }

  /** Something was found that cannot be read: what is before it is lost. */
  public void lose(DamagedFileException found, long now) {
    long goodFrom = found.goodFrom();
    if (goodFrom <= files.from() || files.isEmpty()) {
      return;
    }
    if (goodFrom == Long.MAX_VALUE) {
      giveUp(found, now);
      return;
    }
    watch.lost(found.getMessage() + "; times before " + Hlc.format(goodFrom) + " are lost");
    try {
      files.loseBefore(goodFrom);
    } catch (IOException e) {
      giveUp(e, now);
    }
  }

  /**
   * Files that are to become one, see {@link Compactor}; null if there are none now. The caller
   * runs the compaction, not under the log's lock, and then ends it.
   */
  public @Nullable Compactor beginCompaction() throws IOException {
    Compaction how = bound.compaction();
    if (how == null || closed || compacting || failure != null) {
      return null;
    }
    long horizon = last - Math.min(last, how.afterHlc());
    List<DiskFile> these = files.toCompact(horizon, compactionTried, layout, how.granuleHlc());
    long room = these.stream().mapToLong(DiskFile::usedBytes).sum();
    if (these.isEmpty() || volume.freeBytes() - room < bound.freeBytesMin()) {
      return null;
    }
    compacting = true;
    return new Compactor(volume, layout, how, session, files.pinned(these));
  }

  /** Puts what was made into its place. */
  public void endCompaction(Compactor ended) {
    compacting = false;
    ended.sources().unpin();
    DiskFile made = ended.made();
    List<DiskFile> taken = ended.taken();
    try {
      if (made == null || closed || !files.has(taken)) {
        volume.discardRewrite();
        compactionTried = Math.max(compactionTried, ended.tried());
      } else {
        // Readers that have pinned the old file continue: the compaction has mapped it.
        volume.replace(made.number(), made.usedBytes());
        files.replace(taken, made);
      }
    } catch (IOException e) {
      giveUp(e, last);
    }
  }

  /**
   * The store has everything on its medium that was appended, and appends no more: so the log can
   * be used again after whatever happens. O(files that were not forced yet).
   */
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    LogState open = state;
    try {
      seal();
      if (open == null) {
        return;
      }
      for (DiskFile file : files.all()) {
        volume.force(file.number());
      }
      volume.forceState();
      open.phase(Phase.CLOSED);
      volume.forceState();
    } catch (IOException e) {
      watch.lost(
          "the window-log in %s was not closed in order; it begins empty if the machine stops: %s"
              .formatted(volume.name(), e));
    }
  }
}
