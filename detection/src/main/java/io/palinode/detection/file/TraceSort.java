package io.palinode.detection.file;

import io.palinode.detection.Candidate;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.trace.RunJoin;
import io.palinode.detection.trace.TraceDetector;
import io.palinode.predicate.ReplicaRule;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes the lines of a trace in their order, and gives its instances. Lines of different nodes come
 * in any order, so nothing can be judged before all are read: they are sorted, in bounded memory.
 */
final class TraceSort implements TraceReader.Lines {
  /** What was joined comes after all lines that stand for themselves. */
  private static final long JOINED = 1L << 62;

  private final TraceReader reader;
  private final Joined joined;
  private final Limits limits;
  private final Scratch scratch;
  private final Progress progress;
  private @Nullable EntrySort byStart;
  private @Nullable EntrySort byVersion;
  private long taken;
  private long judged;

  /**
   * What makes one interval of several.
   *
   * @param lasts whether clauses have {@code for}
   */
  record Joined(ReplicaRule replicas, boolean lasts) {}

  TraceSort(TraceReader reader, Joined joined, Limits limits, Scratch scratch, Progress progress) {
    this.reader = reader;
    this.joined = joined;
    this.limits = limits;
    this.scratch = scratch;
    this.progress = progress;
  }

  @Override
  public void take(long number, @Nullable TraceLine line) throws IOException {
    progress.at(number, reader.bytes());
    if (line == null) {
      return;
    }
    Candidate candidate = line.candidate();
    boolean joins = joined.replicas() == ReplicaRule.FIRST && !candidate.version().isEmpty();
    String endedBy = joined.lasts() ? line.endedBy() : "";
    (joins ? byVersion() : byStart()).add(new Entry(line.binding(), number, candidate, endedBy));
  }

  /** An interval was judged. */
  void judged() {
    judged++;
    progress.at(judged, taken + judged);
  }

  /** The search for violations with an interval continues. */
  void searching() {
    progress.at(judged, taken + judged);
  }

  /** When all lines were taken: once. */
  Instances instances(DetectionSpec spec) throws IOException {
    EntrySort versions = byVersion;
    if (versions != null) {
      join(versions);
      byVersion = null;
    }
    if (joined.lasts()) {
      joinRuns(spec);
    }
    EntrySort starts = byStart();
    // Each is taken once, maybe to a file of its instance, and judged once.
    progress.begin("judging", "intervals", 2 * starts.size());
    Instances.Shape shape =
        new Instances.Shape(
            reader.nodes(),
            // What was joined starts where one of its candidates did.
            reader.isAscending(),
            () -> progress.at(judged, ++taken + judged));
    return starts.isInMemory()
        ? new Instances.InMemory(shape, starts.piles())
        : new Instances.FromFile(shape, limits.kept(reader.nodes()), scratch, starts.sorted());
  }

  private EntrySort byStart() {
    EntrySort sort = byStart;
    if (sort == null) {
      sort = new EntrySort(EntryKey::byStart, limits.sortedBytes(), scratch);
      byStart = sort;
    }
    return sort;
  }

  private EntrySort byVersion() {
    EntrySort sort = byVersion;
    if (sort == null) {
      sort = new EntrySort(EntryKey::byVersion, limits.sortedBytes(), scratch);
      byVersion = sort;
    }
    return sort;
  }

  private void join(EntrySort versions) throws IOException {
    progress.begin("joining", "intervals", versions.size());
    List<Entry> ofOne = new ArrayList<>();
    long taken = 0;
    for (Iterator<Entry> all = versions.sorted(); all.hasNext(); ) {
      Entry entry = all.next();
      progress.at(++taken, taken);
      if (!ofOne.isEmpty() && !entry.isOfVersionOf(ofOne.get(0))) {
        addJoined(ofOne);
      }
      ofOne.add(entry);
    }
    addJoined(ofOne);
  }

  private void joinRuns(DetectionSpec spec) throws IOException {
    EntrySort all = byStart();
    byStart = null;
    progress.begin("joining", "intervals", all.size());
    RunJoin join = new RunJoin(spec, reader.last());
    List<Candidate> runs = new ArrayList<>();
    Entry before = null;
    long read = 0;
    for (Iterator<Entry> entries = all.sorted(); entries.hasNext(); ) {
      Entry entry = entries.next();
      progress.at(++read, read);
      if (before != null && !entry.isOfNodeOf(before)) {
        join.end(runs::add);
        addRuns(before.binding(), runs);
      }
      join.take(entry.candidate(), entry.endedBy(), runs::add);
      addRuns(entry.binding(), runs);
      before = entry;
    }
    join.end(runs::add);
    addRuns(before == null ? "" : before.binding(), runs);
  }

  private void addRuns(String binding, List<Candidate> runs) throws IOException {
    for (Candidate run : runs) {
      byStart().add(new Entry(binding, byStart().size(), run));
    }
    runs.clear();
  }

  private void addJoined(List<Entry> ofOne) throws IOException {
    for (Candidate joined : TraceDetector.join(ofOne.stream().map(Entry::candidate).toList())) {
      byStart().add(new Entry(ofOne.get(0).binding(), JOINED + byStart().size(), joined));
    }
    ofOne.clear();
  }
}
