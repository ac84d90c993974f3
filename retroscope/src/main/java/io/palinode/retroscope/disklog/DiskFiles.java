package io.palinode.retroscope.disklog;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The files of a log, the oldest first, and the times to which they lead. Under the log's lock. */
final class DiskFiles {
  private final ArrayDeque<DiskFile> files;
  private long bytes;
  private long from;
  private long earliest;

  DiskFiles(ArrayDeque<DiskFile> found) {
    this.files = found;
    found.forEach(file -> bytes += file.usedBytes());
    this.from = found.isEmpty() ? Long.MAX_VALUE : found.getFirst().base();
    this.earliest = findEarliest();
  }

  boolean isEmpty() {
    return files.isEmpty();
  }

  int size() {
    return files.size();
  }

  /** What they take, nearly. */
  long bytes() {
    return bytes;
  }

  /** What all but the first take; 0: there is no other. */
  long bytesAfterFirst() {
    DiskFile first = files.peekFirst();
    return first == null ? 0 : bytes - first.usedBytes();
  }

  void addBytes(int more) {
    bytes += more;
  }

  @Nullable DiskFile last() {
    return files.peekLast();
  }

  Iterable<DiskFile> all() {
    return files;
  }

  boolean contains(long number) {
    return files.stream().anyMatch(file -> file.number() == number);
  }

  /**
   * @param before the time from which on everything is there, if it is the first
   */
  void add(DiskFile file, long before) {
    if (files.isEmpty()) {
      from = before;
    }
    files.addLast(file);
    bytes += file.usedBytes();
    earliest = findEarliest();
  }

  /** The base of the second one; {@link Long#MAX_VALUE}: there is none. */
  long secondBase() {
    Iterator<DiskFile> each = files.iterator();
    if (each.hasNext()) {
      each.next();
    }
    return each.hasNext() ? each.next().base() : Long.MAX_VALUE;
  }

  /** False: only the newest one is left. */
  boolean dropFirst() throws IOException {
    if (files.size() < 2) {
      return false;
    }
    DiskFile first = files.removeFirst();
    bytes -= first.usedBytes();
    from = Math.max(from, files.getFirst().base());
    earliest = findEarliest();
    first.drop();
    return true;
  }

  /** What could not be removed goes into {@code why}. */
  void dropAll(Throwable why) {
    for (DiskFile file : files) {
      try {
        file.drop();
      } catch (IOException e) {
        // It is of no use to anybody, and is removed when the log is begun the next time.
        why.addSuppressed(e);
      }
    }
    files.clear();
    bytes = 0;
    from = Long.MAX_VALUE;
    earliest = Long.MAX_VALUE;
  }

  /** What leads to times before that is worth nothing. */
  void loseBefore(long goodFrom) throws IOException {
    from = Math.max(from, goodFrom);
    while (secondBase() <= goodFrom && dropFirst()) {}
    earliest = findEarliest();
  }

  /** After this time all entries are there that are to be. */
  long from() {
    return from;
  }

  /** The first time that can be reached; {@link Long#MAX_VALUE}: none. */
  long earliest() {
    return earliest;
  }

  private long findEarliest() {
    Iterator<DiskFile> each = files.iterator();
    DiskFile file = each.hasNext() ? each.next() : null;
    while (file != null) {
      DiskFile next = each.hasNext() ? each.next() : null;
      long end = next == null ? Long.MAX_VALUE : next.base();
      long reached = Math.max(from, file.base());
      if (reached > file.base() && file.granuleHlc() > 0) {
        // A part of a stretch is lost; the other changes of the stretch are listed only there.
        reached = Compaction.floor(reached + file.granuleHlc() - 1, file.granuleHlc());
      }
      if (reached < end) {
        return reached;
      }
      file = next;
    }
    return Long.MAX_VALUE;
  }

  /** From here on every time can be reached. */
  long exactFrom() {
    long exact = from;
    boolean isAfterCompacted = false;
    for (DiskFile file : files) {
      if (isAfterCompacted) {
        exact = Math.max(exact, file.base());
      }
      isAfterCompacted = file.granuleHlc() > 0;
    }
    return exact;
  }

  /** In HLC: the coarsest that there is; 0: all is exact. */
  long granuleHlc() {
    return files.stream().mapToLong(DiskFile::granuleHlc).max().orElse(0);
  }

  /**
   * The last time at or before {@code hlc} that can be reached; -1: none can. What a file has been
   * made of begins with it: so where it begins can be reached too.
   */
  long floor(long hlc) {
    Iterator<DiskFile> latestFirst = files.descendingIterator();
    while (latestFirst.hasNext()) {
      DiskFile file = latestFirst.next();
      if (file.base() <= hlc) {
        long granule = file.granuleHlc();
        long reached = granule == 0 ? hlc : Math.max(file.base(), Compaction.floor(hlc, granule));
        return reached >= from ? reached : -1;
      }
    }
    return -1;
  }

  /** Those that may have entries in {@code (start, end]}. */
  DiskLog.Pinned pin(long start, long end) {
    List<DiskFile> pinned = new ArrayList<>();
    List<Long> nextBases = new ArrayList<>();
    List<Integer> slots = new ArrayList<>();
    Iterator<DiskFile> latestFirst = files.descendingIterator();
    long nextBase = Long.MAX_VALUE;
    while (latestFirst.hasNext() && nextBase > start) {
      DiskFile file = latestFirst.next();
      if (file.base() <= end) {
        file.pin();
        pinned.add(0, file);
        nextBases.add(0, nextBase);
        slots.add(0, file.slots());
      }
      nextBase = file.base();
    }
    return new DiskLog.Pinned(pinned, nextBases, slots, end);
  }

  /**
   * The oldest ones in a row that a compaction is to make one of, not pinned; none: there are too
   * few as yet.
   *
   * @param horizon only what ends before
   * @param tried those up to this number are not worth it
   */
  List<DiskFile> toCompact(long horizon, long tried, DiskLog.Layout layout, long granuleHlc) {
    List<DiskFile> found = new ArrayList<>();
    DiskFile before = null;
    long old = 0;
    Iterator<DiskFile> each = files.iterator();
    DiskFile file = each.hasNext() ? each.next() : null;
    while (file != null && each.hasNext() && found.size() < Compactor.FILES_MAX) {
      DiskFile next = each.next();
      // Of one that is damaged the rest is left as it is.
      boolean isWhole = file.granuleHlc() == 0 && file.base() >= from;
      if (isWhole && file.number() > tried && next.base() <= horizon) {
        found.add(file);
        old += file.usedBytes();
      } else if (found.isEmpty()) {
        before = file;
      } else {
        break;
      }
      file = next;
    }
    if (old < (long) Compactor.FILES_MIN * layout.fileBytes()) {
      return List.of();
    }
    if (before != null
        && before.granuleHlc() == granuleHlc
        && before.base() >= from
        && before.number() > tried
        && Compactor.isSmall(before, layout)) {
      found.add(0, before);
    }
    return found;
  }

  /** Keeps these readable, which follow each other. */
  DiskLog.Pinned pinned(List<DiskFile> these) {
    List<Long> nextBases = new ArrayList<>();
    List<Integer> slots = new ArrayList<>();
    List<DiskFile> all = new ArrayList<>(files);
    for (DiskFile file : these) {
      file.pin();
      nextBases.add(all.get(all.indexOf(file) + 1).base());
      slots.add(file.slots());
    }
    return new DiskLog.Pinned(these, nextBases, slots, Long.MAX_VALUE);
  }

  /** Whether these still follow each other. */
  boolean has(List<DiskFile> these) {
    return Collections.indexOfSubList(new ArrayList<>(files), these) >= 0;
  }

  /** Puts {@code by} into the place of these, which it has. */
  void replace(List<DiskFile> these, DiskFile by) throws IOException {
    List<DiskFile> all = new ArrayList<>(files);
    int at = all.indexOf(these.get(0));
    all.subList(at, at + these.size()).clear();
    all.add(at, by);
    files.clear();
    files.addAll(all);
    these.forEach(file -> bytes -= file.usedBytes());
    bytes += by.usedBytes();
    earliest = findEarliest();
    for (DiskFile each : these) {
      if (each.number() != by.number()) {
        each.drop();
      }
    }
  }
}
