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
  private final Map<Edge, Ends> ends;

  private Truth(Map<Edge, Ends> ends) {
    this.ends = ends;
  }

  /** From the logs of all clients of a run. O(entries), but O(entries²) a cell in rollbacks. */
  public static Truth of(Collection<SectionLog> logs) {
    Map<Edge, Ends> ends = new TreeMap<>();
    for (SectionLog log : logs) {
      for (CellHistory cell : cells(log, firstEpoch(log, logs)).values()) {
        for (Span span : cell.spans()) {
          ends.computeIfAbsent(span.edge(), edge -> new Ends()).add(span);
        }
      }
    }
    return new Truth(ends);
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

  /** Every span of every cell, by edge, in order of {@code startHlc}; those of end a first. */
  public List<Span> spans() {
    return ends.values().stream().flatMap(e -> e.stream()).toList();
  }

  /** O(spans²) an edge. */
  private List<Violation> violations(Rule rule, BiPredicate<Span, Span> meet) {
    List<Violation> violations = new ArrayList<>();
    for (Ends both : ends.values()) {
      for (Span a : both.atA) {
        for (Span b : both.atB) {
          if (breaks(rule, a.value(), b.value()) && meet.test(a, b)) {
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
                key -> new CellHistory(write.edge(), write.end(), log.client()))
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

  /**
   * A client learns the number of an epoch only when the epoch ends. One that never learned of a
   * rollback began in the earliest epoch that any client knew.
   */
  private static long firstEpoch(SectionLog log, Collection<SectionLog> logs) {
    return firstUndone(List.of(log)) != Long.MAX_VALUE
        ? firstUndone(List.of(log))
        : Math.min(firstUndone(logs), Long.MAX_VALUE - 1);
  }

  private static long firstUndone(Collection<SectionLog> logs) {
    return logs.stream()
        .flatMap(log -> log.entries().stream())
        .filter(Undo.class::isInstance)
        .mapToLong(entry -> ((Undo) entry).rolledBack().fromEpoch())
        .min()
        .orElse(Long.MAX_VALUE);
  }

  /** The spans of the two ends of an edge. */
  private static final class Ends {
    private static final Comparator<Span> BY_START = Comparator.comparingLong(Span::startHlc);

    final List<Span> atA = new ArrayList<>();
    final List<Span> atB = new ArrayList<>();

    void add(Span span) {
      (span.end() == span.edge().a() ? atA : atB).add(span);
    }

    Stream<Span> stream() {
      return Stream.concat(atA.stream().sorted(BY_START), atB.stream().sorted(BY_START));
    }
  }
}
