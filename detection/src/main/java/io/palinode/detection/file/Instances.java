package io.palinode.detection.file;

import io.palinode.detection.Candidate;
import io.palinode.detection.trace.CandidateCursor;
import io.palinode.detection.trace.TraceSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The instances of a trace, one after the other, in the order of their bindings. A small one is
 * kept in memory, a large one in a scratch file. For one thread.
 */
final class Instances {
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int BUFFERS_BYTES = 8 << 20;
  private static final int BUFFER_BYTES_MIN = 1 << 11;

  private final int nodes;
  private final boolean ascending;
  private final int keptMax;
  private final Scratch scratch;
  private final Iterator<Entry> entries;
  private final Runnable taken;
  private @Nullable Entry next;

  /**
   * @param entries in the order of {@link EntryKey#byStart}
   * @param keptMax candidates of one instance in memory
   * @param taken is run with each entry
   */
  Instances(
      int nodes,
      boolean ascending,
      int keptMax,
      Scratch scratch,
      Iterator<Entry> entries,
      Runnable taken) {
    this.nodes = nodes;
    this.ascending = ascending;
    this.keptMax = keptMax;
    this.scratch = scratch;
    this.entries = entries;
    this.taken = taken;
    advance();
  }

  /** One instance's trace. */
  record Instance(String binding, TraceSource trace) {}

  /** Null after the last one. The one before need not be read to its end. */
  @Nullable Instance next() throws IOException {
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
    return new Instance(first.binding(), new TraceSource(cursors, ascending));
  }

  private void advance() {
    next = entries.hasNext() ? entries.next() : null;
    taken.run();
  }

  private List<CandidateCursor> inMemory(List<Entry> kept) {
    List<List<Candidate>> perNode = new ArrayList<>();
    for (int node = 0; node < nodes; node++) {
      perNode.add(new ArrayList<>());
    }
    kept.forEach(entry -> perNode.get(entry.candidate().id().node()).add(entry.candidate()));
    return perNode.stream().map(ofNode -> TraceSource.cursor(ofNode)).toList();
  }

  private List<CandidateCursor> inFile(String binding, List<Entry> kept) throws IOException {
    long[] offsets = new long[nodes];
    long[] counts = new long[nodes];
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
    int buffer = Math.max(BUFFER_BYTES_MIN, Math.min(BUFFER_BYTES, BUFFERS_BYTES / nodes));
    List<CandidateCursor> cursors = new ArrayList<>();
    for (int node = 0; node < nodes; node++) {
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
