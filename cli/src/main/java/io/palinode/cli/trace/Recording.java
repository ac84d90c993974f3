package io.palinode.cli.trace;

import com.google.protobuf.ByteString;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.PointInTime;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.Closed;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.Opened;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.VersionRole;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Joins the candidates of one predicate to intervals. Pure; not thread-safe. Keeps one version of
 * the predicate, and at most a given number of intervals.
 *
 * <p>No record ends an interval that is open when its node restarts or a rollback begins the next
 * epoch. Such an interval ends with the last record of its node in that incarnation and epoch.
 */
final class Recording {
  /** Of other versions that are named. */
  private static final int VERSIONS_MAX = 16;

  private final String predicate;
  private final int intervalsMax;
  private final long wanted;
  private final Map<Position, Interval> intervals = new LinkedHashMap<>();
  private final Map<Position, Run> runs = new HashMap<>();

  /** The newest clock of each run of a node. */
  private final Map<Run, Hvc> reached = new HashMap<>();

  private final SortedSet<Long> otherVersions = new TreeSet<>();
  private long version;
  private long versionMax;
  private long appliedMicros;
  private long records;

  /** A node between two restarts or rollbacks. */
  private record Run(int node, long incarnation, long epoch) {
    boolean isBefore(Run other) {
      return node == other.node
          && (incarnation < other.incarnation
              || (incarnation == other.incarnation && epoch < other.epoch));
    }
  }

  private record Position(int partition, int node, long incarnation, long sequence) {}

  /**
   * An interval of the trace.
   *
   * @param end null: open
   * @param of the version that names it; null: unknown
   * @param endedBy the version that ended it; null: unknown, or none did
   */
  record Interval(
      IntervalRef ref,
      int node,
      Hvc start,
      @Nullable Hvc end,
      List<VariableVersion> values,
      @Nullable VariableVersion of,
      @Nullable Integer origin,
      @Nullable VariableVersion endedBy,
      long sequence) {
    Interval endedAt(Hvc last, @Nullable VariableVersion by) {
      return new Interval(ref, node, start, last, values, of, origin, by, sequence);
    }
  }

  /**
   * @param wanted the version of the predicate; 0: the newest that has a candidate
   */
  Recording(String predicate, long wanted, int intervalsMax) {
    this.predicate = predicate;
    this.wanted = wanted;
    this.intervalsMax = intervalsMax;
  }

  /**
   * A version of the predicate was applied. Candidates of later ones are refused.
   *
   * @param atMicros wall clock; 0: unknown
   */
  void applied(long appliedVersion, long atMicros) {
    if (appliedVersion > versionMax) {
      versionMax = appliedVersion;
      appliedMicros = atMicros;
    }
  }

  /** Whether the candidate is of a version of the predicate that was not applied yet. */
  boolean isAhead(CandidateRecord record) {
    IntervalRef ref = ref(record);
    return ref.getPredicate().equals(predicate) && ref.getPredicateVersion() > versionMax;
  }

  /** The default: the record has none. */
  private static IntervalRef ref(CandidateRecord record) {
    return record.hasOpened() ? record.getOpened().getInterval() : record.getClosed().getInterval();
  }

  /**
   * Reads a candidate. Throws {@link IllegalArgumentException} if its clock is unreadable or its
   * version was not applied, and {@link IllegalStateException} if there are too many intervals.
   */
  void read(int partition, CandidateRecord record) {
    if (isAhead(record)) {
      throw new IllegalArgumentException(
          "the newest version of %s is %d: predicate_version=%d"
              .formatted(predicate, versionMax, ref(record).getPredicateVersion()));
    }
    records++;
    Run run = new Run(record.getNode(), record.getIncarnation(), record.getEpoch());
    switch (record.getEventCase()) {
      case OPENED -> opened(partition, run, record.getSequence(), record.getOpened());
      case CLOSED -> closed(partition, run, record.getClosed());
      case PROGRESS -> reached(run, record.getProgress().getHvc());
      case STOPPED -> reached(run, record.getStopped().getHvc());
      case GAP, EVENT_NOT_SET -> {
        // No clock: nothing was reached.
      }
    }
  }

  long records() {
    return records;
  }

  int size() {
    return intervals.size();
  }

  /** The version of the predicate; 0: no candidate of it was read. */
  long version() {
    return version;
  }

  /** What is to be known of other versions, one sentence; null: no other one matters. */
  @Nullable String otherVersions() {
    if (otherVersions.isEmpty() && version == versionMax) {
      return null;
    }
    String at = appliedMicros == 0 ? "" : " at " + PointInTime.format(Hlc.ofMicros(appliedMicros));
    String others =
        otherVersions.isEmpty()
            ? ""
            : "; record %s with --predicate-version, and judge each with the predicate as it was then"
                .formatted(
                    otherVersions.stream()
                        .map(other -> "version " + other)
                        .collect(Collectors.joining(", ")));
    return "the predicate changed to version %d%s, and the trace has version %d only%s"
        .formatted(versionMax, at, version, others);
  }

  /** The intervals, those of one node by their starts. */
  Stream<Interval> intervals() {
    return intervals.entrySet().stream()
        .map(entry -> complete(entry.getKey(), entry.getValue()))
        .sorted(
            Comparator.comparingLong((Interval interval) -> interval.start().own())
                .thenComparingInt(Interval::node)
                .thenComparingLong(Interval::sequence));
  }

  private Interval complete(Position position, Interval interval) {
    Run run = runs.get(position);
    boolean isOver = run != null && reached.keySet().stream().anyMatch(run::isBefore);
    Hvc last = isOver ? reached.get(run) : null;
    return interval.end() != null || last == null ? interval : interval.endedAt(last, null);
  }

  private void opened(int partition, Run run, long sequence, Opened opened) {
    reached(run, opened.getStart());
    if (opened.hasDigest() || !isWanted(opened.getInterval())) {
      return;
    }
    List<VariableVersion> values =
        opened.getValuesList().stream()
            .filter(version -> version.getRole() == VersionRole.HOLDS)
            .toList();
    add(
        new Position(partition, run.node(), run.incarnation(), sequence),
        run,
        new Interval(
            opened.getInterval(),
            run.node(),
            CandidateRecords.decode(opened.getStart()),
            null,
            values,
            values.isEmpty() ? null : values.get(0),
            opened.hasOrigin() ? opened.getOrigin() : null,
            null,
            sequence));
  }

  /** Its opening may be older than the topic. */
  private void closed(int partition, Run run, Closed closed) {
    reached(run, closed.getEnd());
    if (!isWanted(closed.getInterval())) {
      return;
    }
    Position position =
        new Position(partition, run.node(), run.incarnation(), closed.getOpenedSequence());
    Hvc end = CandidateRecords.decode(closed.getEnd());
    VariableVersion endedBy = closed.hasEndedBy() ? closed.getEndedBy() : null;
    Interval known = intervals.get(position);
    if (known != null) {
      intervals.put(position, known.endedAt(end, endedBy));
      return;
    }
    add(
        position,
        run,
        new Interval(
            closed.getInterval(),
            run.node(),
            CandidateRecords.decode(closed.getStart()),
            end,
            List.of(),
            closed.hasOpenedBy() ? closed.getOpenedBy() : null,
            null,
            endedBy,
            closed.getOpenedSequence()));
  }

  private void add(Position position, Run run, Interval interval) {
    if (intervals.size() >= intervalsMax && !intervals.containsKey(position)) {
      throw new IllegalStateException(
          "more than %,d intervals of %s".formatted(intervalsMax, predicate));
    }
    intervals.put(position, interval);
    runs.put(position, run);
  }

  /** If no version is wanted, a newer one replaces all intervals of older ones. */
  private boolean isWanted(IntervalRef ref) {
    if (!ref.getPredicate().equals(predicate)) {
      return false;
    }
    long of = ref.getPredicateVersion();
    if (wanted == 0 ? of < version : of != wanted) {
      other(of);
      return false;
    }
    if (of > version) {
      if (version != 0) {
        other(version);
      }
      version = of;
      intervals.clear();
      runs.clear();
    }
    return true;
  }

  private void other(long of) {
    otherVersions.add(of);
    if (otherVersions.size() > VERSIONS_MAX) {
      otherVersions.remove(otherVersions.first());
    }
  }

  private void reached(Run run, ByteString clock) {
    Hvc at = CandidateRecords.decode(clock);
    reached.merge(run, at, (before, now) -> now.own() > before.own() ? now : before);
  }
}
