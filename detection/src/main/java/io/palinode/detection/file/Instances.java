package io.palinode.detection.file;

import io.palinode.detection.Candidate;
import io.palinode.detection.file.EntrySort.Pile;
import io.palinode.detection.trace.CandidateCursor;
import io.palinode.detection.trace.TraceSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The instances of a trace, one after the other, in the order of their bindings. For one thread.
 */
interface Instances {
  /** Null after the last one. The one before need not be read to its end. */
  @Nullable Instance next() throws IOException;

  /** One instance's trace. */
  record Instance(String binding, TraceSource trace) {}

  /**
   * What all instances have.
   *
   * @param ascending whether starts of each node rise in every entry
   * @param taken is run with each entry
   */
  record Shape(int nodes, boolean ascending, Runnable taken) {}

  /** That are in memory already, as bytes. */
  final class InMemory implements Instances {
    private final Shape shape;
    private final Iterator<Pile> piles;
    private @Nullable Pile next;

    /**
     * @param piles in the order of {@link EntryKey#byStart}
     */
    InMemory(Shape shape, Iterator<Pile> piles) {
      this.shape = shape;
      this.piles = piles;
      advance();
    }

    private void advance() {
      next = piles.hasNext() ? piles.next() : null;
    }

    @Override
    public @Nullable Instance next() {
      if (next == null) {
        return null;
      }
      String binding = next.group().binding();
      List<CandidateCursor> cursors =
          new ArrayList<>(Collections.nCopies(shape.nodes(), TraceSource.cursor(List.of())));
      for (; next != null && next.group().binding().equals(binding); advance()) {
        cursors.set((int) next.group().part(), cursor(next.entries()));
      }
      return new Instance(binding, new TraceSource(cursors, shape.ascending()));
    }

    private CandidateCursor cursor(Iterator<Entry> ofNode) {
      return TraceSource.cursor(
          () -> {
            if (!ofNode.hasNext()) {
              return null;
            }
            shape.taken().run();
            return ofNode.next().candidate();
          });
    }
  }

  /** That come from a file: a small one is kept in memory, a large one goes to the file again. */
  final class FromFile implements Instances {
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int BUFFERS_BYTES = 8 << 20;
    private static final int BUFFER_BYTES_MIN = 1 << 11;

    private final Shape shape;
    private final int keptMax;
    private final Scratch scratch;
    private final Iterator<Entry> entries;
    private @Nullable Entry next;

    /**
     * @param entries in the order of {@link EntryKey#byStart}
     * @param keptMax candidates of one instance in memory
     */
    FromFile(Shape shape, int keptMax, Scratch scratch, Iterator<Entry> entries) {
      this.shape = shape;
      this.keptMax = keptMax;
      this.scratch = scratch;
      this.entries = entries;
      advance();
    }

    @Override
    public @Nullable Instance next() throws IOException {
      Entry first = next;
      if (first == null) {
        return null;
      }
      List<Entry> kept = new ArrayList<>();
      while (next != null && next.binding().equals(first.binding()) && kept.size() < keptMax) {
        kept.add(next);
        advance();
      }
      boolean whole = next == null || !next.binding().equals(first.binding());
      List<CandidateCursor> cursors = whole ? inMemory(kept) : inFile(first.binding(), kept);
      return new Instance(first.binding(), new TraceSource(cursors, shape.ascending()));
    }

    private void advance() {
      next = entries.hasNext() ? entries.next() : null;
      shape.taken().run();
    }

    private List<CandidateCursor> inMemory(List<Entry> kept) {
      List<List<Candidate>> perNode = new ArrayList<>();
      for (int node = 0; node < shape.nodes(); node++) {
        perNode.add(new ArrayList<>());
      }
      kept.forEach(entry -> perNode.get(entry.candidate().id().node()).add(entry.candidate()));
      return perNode.stream().map(ofNode -> TraceSource.cursor(ofNode)).toList();
    }

    private List<CandidateCursor> inFile(String binding, List<Entry> kept) throws IOException {
      long[] offsets = new long[shape.nodes()];
      long[] counts = new long[shape.nodes()];
      try (Scratch.Writer out = scratch.writer()) {
        for (Entry entry : kept) {
          write(entry, out, offsets, counts);
        }
        kept.clear();
        for (Entry entry = next; entry != null && entry.binding().equals(binding); entry = next) {
          write(entry, out, offsets, counts);
          advance();
        }
      }
      int buffer =
          Math.max(BUFFER_BYTES_MIN, Math.min(BUFFER_BYTES, BUFFERS_BYTES / shape.nodes()));
      List<CandidateCursor> cursors = new ArrayList<>();
      for (int node = 0; node < shape.nodes(); node++) {
        Scratch.Region region = new Scratch.Region(offsets[node], counts[node]);
        Iterator<Entry> rest = scratch.read(region, buffer);
        cursors.add(TraceSource.cursor(() -> rest.hasNext() ? rest.next().candidate() : null));
      }
      return cursors;
    }

    /** Entries come node by node. */
    private static void write(Entry entry, Scratch.Writer out, long[] offsets, long[] counts)
        throws IOException {
      int node = entry.candidate().id().node();
      if (counts[node] == 0) {
        offsets[node] = out.offset();
      }
      out.write(entry);
      counts[node]++;
    }
  }
}
