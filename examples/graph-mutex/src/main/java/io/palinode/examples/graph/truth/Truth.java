package io.palinode.examples.graph.truth;

import io.palinode.examples.graph.Edge;
import io.palinode.examples.graph.Keys;
import io.palinode.examples.graph.Rule;
import io.palinode.examples.graph.truth.SectionLog.Undo;
import io.palinode.examples.graph.truth.SectionLog.Write;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.stream.Stream;

/** The violations that really happened in a run. Immutable. */
public final class Truth {
  private static final long UNKNOWN_EPOCH = Long.MIN_VALUE;

  private final Map<Edge, Ends> ends;
  private final long dropped;

  private Truth(Map<Edge, Ends> ends, long dropped) {
    this.ends = ends;
    this.dropped = dropped;
  }

  /** From the logs of all clients of a run. O(entries · rollbacks). */
  public static Truth of(Collection<SectionLog> logs) {
    Map<Edge, Ends> ends = new TreeMap<>();
    // A client learns the number of an epoch only when the epoch ends. One that never learned of a
    // rollback began in the earliest epoch that any client knew.
    long earliest =
        logs.stream()
            .mapToLong(log -> firstEpoch(log, UNKNOWN_EPOCH))
            .filter(epoch -> epoch != UNKNOWN_EPOCH)
            .min()
            .orElse(0);
    for (SectionLog log : logs) {
      for (CellHistory cell : cells(log, firstEpoch(log, earliest)).values()) {
        for (Span span : cell.spans()) {
          ends.computeIfAbsent(span.cell().edge(), edge -> new Ends()).add(span);
        }
      }
    }
    return new Truth(ends, logs.stream().mapToLong(SectionLog::dropped).sum());
  }

  /** True violations of mutual exclusion: sections of the two ends of an edge that overlapped. */
  public List<Violation> overlaps() {
    return certain(Rule.EDGE_MUTEX);
  }

  /** Times at which the two ends of an edge had published the same colour. */
  public List<Violation> sameColours() {
    return certain(Rule.PROPER_COLOURING);
  }

  /** Those that surely happened. Ordered by edge, then by the start of the span at a, then at b. */
  public List<Violation> certain(Rule rule) {
    return violations(rule, Span::surelyMeets);
  }

  /** {@link #certain} and those that can neither be proved nor ruled out by the clients' clocks. */
  public List<Violation> possible(Rule rule) {
    return violations(rule, Span::maybeMeets);
  }

  /** Every span of every cell, by edge, by HLC; those of end a first. */
  public List<Span> spans() {
    return ends.values().stream().flatMap(e -> e.stream()).toList();
  }

  /** Entries that full logs dropped: unless 0, there may be violations that are not here. */
  public long dropped() {
    return dropped;
  }

  /** O(spans²) an edge. */
  private List<Violation> violations(Rule rule, BiPredicate<Span, Span> meet) {
    List<Violation> violations = new ArrayList<>();
    for (Ends both : ends.values()) {
      for (Span a : both.atA) {
        for (Span b : both.atB) {
          if (breaks(rule, a.version().value(), b.version().value()) && meet.test(a, b)) {
            violations.add(new Violation(a, b));
          }
        }
      }
    }
    return violations;
  }

  private static boolean breaks(Rule rule, String a, String b) {
    return a.equals(b)
        && switch (rule) {
          case EDGE_MUTEX -> a.equals(Keys.INSIDE);
          case PROPER_COLOURING -> Keys.isPublished(a);
        };
  }

  private static Map<String, CellHistory> cells(SectionLog log, long firstEpoch) {
    Map<String, CellHistory> cells = new TreeMap<>();
    long epoch = firstEpoch;
    for (SectionLog.Entry entry : log.entries()) {
      if (entry instanceof Write write) {
        cells
            .computeIfAbsent(
                Keys.cs(write.edge(), write.end()),
                key -> new CellHistory(new Span.Cell(write.edge(), write.end())))
            .wrote(write, epoch);
      } else if (entry instanceof Undo undo) {
        for (CellHistory cell : cells.values()) {
          cell.rolledBack(undo, epoch);
        }
        epoch = undo.rolledBack().toEpoch();
      }
    }
    return cells;
  }

  private static long firstEpoch(SectionLog log, long unlessRolledBack) {
    for (SectionLog.Entry entry : log.entries()) {
      if (entry instanceof Undo undo) {
        return undo.rolledBack().fromEpoch();
      }
    }
    return unlessRolledBack;
  }

  /** The spans of the two ends of an edge. */
  private static final class Ends {
    private static final Comparator<Span> BY_START =
        Comparator.comparingLong(span -> span.hlc().from());

    final List<Span> atA = new ArrayList<>();
    final List<Span> atB = new ArrayList<>();

    void add(Span span) {
      (span.cell().isOfA() ? atA : atB).add(span);
    }

    Stream<Span> stream() {
      return Stream.concat(atA.stream().sorted(BY_START), atB.stream().sorted(BY_START));
    }
  }
}
