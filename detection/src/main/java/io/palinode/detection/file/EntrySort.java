package io.palinode.detection.file;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Sorts any number of entries with a bounded number of them in memory: sorted runs go to a scratch
 * file, and are merged. What fits in one run never goes there. For one thread.
 */
final class EntrySort {
  private static final int BUFFERS_BYTES = 8 << 20;
  private static final int BUFFER_BYTES_MIN = 1 << 12;
  private static final int BUFFER_BYTES_MAX = 1 << 17;

  /** Texts of so many characters together are in {@link Entry#heapBytes}. */
  private static final int USUAL_CHARS = 200;

  private final Comparator<Entry> order;
  private final int runMax;
  private final Scratch scratch;
  private final List<Scratch.Region> runs = new ArrayList<>();
  private List<Entry> run = new ArrayList<>();
  private long size;

  /** Of {@link #run}, in entries of usual texts. */
  private long weight;

  /** {@code order} must not call any two of them equal. */
  EntrySort(Comparator<Entry> order, int runMax, Scratch scratch) {
    this.order = order;
    this.runMax = runMax;
    this.scratch = scratch;
  }

  void add(Entry entry) throws IOException {
    if (weight >= runMax) {
      spill();
    }
    run.add(entry);
    weight += 1 + entry.textChars() / USUAL_CHARS;
    size++;
  }

  long size() {
    return size;
  }

  /** All of them, in order, once; none is added any more. */
  Iterator<Entry> sorted() throws IOException {
    if (runs.isEmpty()) {
      run.sort(order);
      return run.iterator();
    }
    spill();
    int buffer =
        Math.max(BUFFER_BYTES_MIN, Math.min(BUFFER_BYTES_MAX, BUFFERS_BYTES / runs.size()));
    PriorityQueue<Run> heads =
        new PriorityQueue<>(Comparator.comparing(ahead -> ahead.head, order));
    for (Scratch.Region region : runs) {
      heads.add(new Run(scratch.read(region, buffer)));
    }
    return new Merge(heads);
  }

  private void spill() throws IOException {
    run.sort(order);
    try (Scratch.Writer out = scratch.writer()) {
      long offset = out.offset();
      for (Entry entry : run) {
        out.write(entry);
      }
      runs.add(new Scratch.Region(offset, run.size()));
    }
    run = new ArrayList<>();
    weight = 0;
  }

  /** A run that holds at least its head. */
  private static final class Run {
    private final Iterator<Entry> rest;
    private Entry head;

    Run(Iterator<Entry> rest) {
      this.rest = rest;
      this.head = rest.next();
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
      if (least.rest.hasNext()) {
        least.head = least.rest.next();
        heads.add(least);
      }
      return next;
    }
  }
}
