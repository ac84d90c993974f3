package io.palinode.detection.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Function;

/**
 * Sorts any number of entries with a bounded number of bytes in memory: sorted runs go to a scratch
 * file, and are merged. What fits in one run never goes there. Entries in memory are bytes too, so
 * that a collection has few objects to copy. For one thread.
 */
final class EntrySort {
  private static final int CHUNK_BYTES = 1 << 18;
  private static final int BUFFERS_BYTES = 8 << 20;
  private static final int BUFFER_BYTES_MIN = 1 << 12;
  private static final int BUFFER_BYTES_MAX = 1 << 17;

  private final Function<Entry, EntryKey> keyOf;
  private final long runBytesMax;
  private final Scratch scratch;
  private final List<Scratch.Region> runs = new ArrayList<>();
  private List<Kept> run = new ArrayList<>();
  private ByteBuffer chunk = ByteBuffer.allocate(0);
  private long size;
  private long runBytes;

  /** {@code keyOf} must not give any two of them equal keys. */
  EntrySort(Function<Entry, EntryKey> keyOf, long runBytesMax, Scratch scratch) {
    this.keyOf = keyOf;
    this.runBytesMax = runBytesMax;
    this.scratch = scratch;
  }

  void add(Entry entry) throws IOException {
    if (runBytes >= runBytesMax) {
      spill();
    }
    int most = entry.bytesMax();
    if (chunk.remaining() < most) {
      chunk = ByteBuffer.allocate(Math.max(CHUNK_BYTES, most));
    }
    int from = chunk.position();
    entry.write(chunk);
    EntryKey key = keyOf.apply(entry);
    Kept kept = new Kept(key, chunk.array(), from, chunk.position() - from);
    run.add(kept);
    runBytes += kept.heapBytes();
    size++;
  }

  long size() {
    return size;
  }

  /** All of them, in order, once; none is added any more. */
  Iterator<Entry> sorted() throws IOException {
    if (runs.isEmpty()) {
      run.sort(Kept.BY_KEY);
      return run.stream().map(Kept::entry).iterator();
    }
    spill();
    int buffer =
        Math.max(BUFFER_BYTES_MIN, Math.min(BUFFER_BYTES_MAX, BUFFERS_BYTES / runs.size()));
    PriorityQueue<Run> heads = new PriorityQueue<>(Comparator.comparing(ahead -> ahead.key));
    for (Scratch.Region region : runs) {
      heads.add(new Run(scratch.read(region, buffer), keyOf));
    }
    return new Merge(heads);
  }

  private void spill() throws IOException {
    run.sort(Kept.BY_KEY);
    try (Scratch.Writer out = scratch.writer()) {
      long offset = out.offset();
      for (Kept kept : run) {
        out.write(kept.bytes, kept.from, kept.length);
      }
      runs.add(new Scratch.Region(offset, run.size()));
    }
    run = new ArrayList<>();
    chunk = ByteBuffer.allocate(0);
    runBytes = 0;
  }

  /** An entry in memory, from a place in {@code bytes} on. */
  private record Kept(EntryKey key, byte[] bytes, int from, int length) {
    static final Comparator<Kept> BY_KEY = Comparator.comparing(Kept::key);

    private static final long OBJECTS_BYTES = 160;

    long heapBytes() {
      return OBJECTS_BYTES + length + (long) Character.BYTES * key.textChars();
    }

    Entry entry() {
      return Entry.read(ByteBuffer.wrap(bytes, from, length), key.binding());
    }
  }

  /** A run that holds at least its head. */
  private static final class Run {
    private final Iterator<Entry> rest;
    private final Function<Entry, EntryKey> keyOf;
    private Entry head;
    private EntryKey key;

    Run(Iterator<Entry> rest, Function<Entry, EntryKey> keyOf) {
      this.rest = rest;
      this.keyOf = keyOf;
      this.head = rest.next();
      this.key = keyOf.apply(head);
    }

    /** False after the last one. */
    boolean advance() {
      if (!rest.hasNext()) {
        return false;
      }
      head = rest.next();
      key = keyOf.apply(head);
      return true;
    }
  }

  private record Merge(PriorityQueue<Run> heads) implements Iterator<Entry> {
    @Override
    public boolean hasNext() {
      return !heads.isEmpty();
    }

    @Override
    public Entry next() {
      Run least = heads.remove();
      Entry next = least.head;
      if (least.advance()) {
        heads.add(least);
      }
      return next;
    }
  }
}
