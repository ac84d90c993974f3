package io.palinode.detection.file;

import io.palinode.detection.file.EntryKey.Group;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.PriorityQueue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sorts any number of entries with a bounded number of bytes in memory: sorted runs go to a scratch
 * file, and are merged. What fits in one run never goes there. Entries in memory are bytes, each
 * chained to the one of its group before it: those of a node mostly come in order, so that only
 * groups are compared, and a collection has few objects to copy. For one thread.
 */
final class EntrySort {
  private static final int BUFFERS_BYTES = 8 << 20;
  private static final int BUFFER_BYTES_MIN = 1 << 12;
  private static final int BUFFER_BYTES_MAX = 1 << 17;
  // An address in memory has 31 bits.
  private static final long RUN_BYTES_MAX = 1L << 30;

  private final Function<Entry, EntryKey> keyOf;
  private final long runBytesMax;
  private final Scratch scratch;
  private final List<Scratch.Region> runs = new ArrayList<>();
  private Memory memory = new Memory();
  private Map<Group, Pile> piles = new HashMap<>();
  private long size;
  private long runSize;
  private long pilesBytes;

  /** {@code keyOf} must not give any two of them equal keys. */
  EntrySort(Function<Entry, EntryKey> keyOf, long runBytesMax, Scratch scratch) {
    this.keyOf = keyOf;
    this.runBytesMax = Math.min(RUN_BYTES_MAX, runBytesMax);
    this.scratch = scratch;
  }

  void add(Entry entry) throws IOException {
    if (memory.bytes + pilesBytes >= runBytesMax) {
      spill();
    }
    EntryKey key = keyOf.apply(entry);
    Pile pile = piles.get(key.group());
    if (pile == null) {
      pile = new Pile(key.group(), keyOf, memory);
      piles.put(key.group(), pile);
      pilesBytes += pile.heapBytes();
    }
    long sorting = pile.sortingBytes();
    pile.add(key, memory.add(entry));
    pilesBytes += pile.sortingBytes() - sorting;
    size++;
    runSize++;
  }

  long size() {
    return size;
  }

  /** Whether all fit. */
  boolean isInMemory() {
    return runs.isEmpty();
  }

  /** All of them, in order, once; none is added any more. */
  Iterator<Entry> sorted() throws IOException {
    if (isInMemory()) {
      return new Chain(piles());
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

  /** The groups of those in memory, in order. */
  Iterator<Pile> piles() {
    List<Pile> sorted = new ArrayList<>(piles.values());
    sorted.sort(Comparator.comparing(Pile::group));
    return sorted.iterator();
  }

  private void spill() throws IOException {
    try (Scratch.Writer out = scratch.writer()) {
      long offset = out.offset();
      for (Iterator<Pile> all = piles(); all.hasNext(); ) {
        all.next().write(out);
      }
      runs.add(new Scratch.Region(offset, runSize));
    }
    memory = new Memory();
    piles = new HashMap<>();
    runSize = 0;
    pilesBytes = 0;
  }

  /**
   * Entries by their addresses: chunk and offset.
   *
   * <pre>
   * +---------+--------+-------+
   * | next + 1| length | entry |
   * | i32     | i32    |       |
   * +---------+--------+-------+
   * </pre>
   */
  private static final class Memory {
    private static final int CHUNK_BITS = 18;
    private static final int HEADER_BYTES = 2 * Integer.BYTES;

    private final List<ByteBuffer> chunks = new ArrayList<>();
    private ByteBuffer chunk = ByteBuffer.allocate(0);
    private int filled;
    private long bytes;

    int add(Entry entry) {
      int most = HEADER_BYTES + entry.bytesMax();
      // An offset has so many bits, also in a chunk for one large entry.
      if (chunk.capacity() - filled < most || filled >= 1 << CHUNK_BITS) {
        bytes += chunk.capacity() - filled;
        chunk = ByteBuffer.allocate(Math.max(1 << CHUNK_BITS, most));
        chunks.add(chunk);
        filled = 0;
      }
      int from = filled;
      chunk.position(from + HEADER_BYTES);
      entry.write(chunk);
      filled = chunk.position();
      chunk.putInt(from, 0).putInt(from + Integer.BYTES, filled - from - HEADER_BYTES);
      bytes += filled - from;
      return ((chunks.size() - 1) << CHUNK_BITS) | from;
    }

    private ByteBuffer chunk(int address) {
      return chunks.get(address >>> CHUNK_BITS);
    }

    private static int offset(int address) {
      return address & ((1 << CHUNK_BITS) - 1);
    }

    /** The address of the next one of the pile; -1 after the last one. */
    int next(int address) {
      return chunk(address).getInt(offset(address)) - 1;
    }

    void chain(int address, int next) {
      chunk(address).putInt(offset(address), next + 1);
    }

    Entry entry(int address, String binding) {
      return Entry.read(chunk(address).position(offset(address) + HEADER_BYTES), binding);
    }

    void write(int address, Scratch.Writer out) throws IOException {
      ByteBuffer from = chunk(address);
      int offset = offset(address);
      out.write(from, offset + HEADER_BYTES, from.getInt(offset + Integer.BYTES));
    }
  }

  /** The entries of a group in memory. */
  static final class Pile {
    private static final long OBJECTS_BYTES = 520;

    /** Of each entry of a pile that is not in order. */
    private static final long SORTING_BYTES = 110;

    private final Group group;
    private final Function<Entry, EntryKey> keyOf;
    private final Memory memory;
    private int first = -1;
    private int last = -1;
    private int size;
    private @Nullable EntryKey lastKey;
    private boolean sorted = true;

    private Pile(Group group, Function<Entry, EntryKey> keyOf, Memory memory) {
      this.group = group;
      this.keyOf = keyOf;
      this.memory = memory;
    }

    Group group() {
      return group;
    }

    private long heapBytes() {
      // The last key has its own texts.
      return OBJECTS_BYTES + 2L * Character.BYTES * group.textChars();
    }

    /** What {@link #sort} takes. */
    private long sortingBytes() {
      return sorted ? 0 : SORTING_BYTES * size;
    }

    private void add(EntryKey key, int address) {
      if (last < 0) {
        first = address;
      } else {
        memory.chain(last, address);
      }
      last = address;
      size++;
      sorted &= lastKey == null || lastKey.compareInGroup(key) < 0;
      lastKey = key;
    }

    /** In order. */
    Iterator<Entry> entries() {
      sort();
      return new Iterator<>() {
        private int next = first;

        @Override
        public boolean hasNext() {
          return next >= 0;
        }

        @Override
        public Entry next() {
          if (next < 0) {
            throw new NoSuchElementException("the pile is read");
          }
          Entry entry = memory.entry(next, group.binding());
          next = memory.next(next);
          return entry;
        }
      };
    }

    private void write(Scratch.Writer out) throws IOException {
      sort();
      for (int address = first; address >= 0; address = memory.next(address)) {
        memory.write(address, out);
      }
    }

    private void sort() {
      if (sorted) {
        return;
      }
      List<Placed> placed = new ArrayList<>();
      for (int address = first; address >= 0; address = memory.next(address)) {
        placed.add(new Placed(keyOf.apply(memory.entry(address, group.binding())), address));
      }
      placed.sort((one, other) -> one.key.compareInGroup(other.key));
      first = -1;
      last = -1;
      size = 0;
      lastKey = null;
      sorted = true;
      placed.forEach(each -> add(each.key, each.address));
      memory.chain(last, -1);
    }

    private record Placed(EntryKey key, int address) {}
  }

  /** One pile after the other. */
  private static final class Chain implements Iterator<Entry> {
    private final Iterator<Pile> piles;
    private Iterator<Entry> entries = Collections.emptyIterator();

    Chain(Iterator<Pile> piles) {
      this.piles = piles;
    }

    @Override
    public boolean hasNext() {
      return entries.hasNext() || piles.hasNext();
    }

    @Override
    public Entry next() {
      if (!entries.hasNext()) {
        entries = piles.next().entries();
      }
      return entries.next();
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
