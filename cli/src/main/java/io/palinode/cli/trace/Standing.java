package io.palinode.cli.trace;

import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;

/**
 * When each fact about the values of a history held, such as that a term is true. Pure.
 *
 * <p>A write takes effect once, at some time from its start to its end. Writes of one key can
 * overlap, so their order can be unknown. If all values that may stand make a fact true, it surely
 * holds. Times of two clocks are compared with a margin of ε.
 */
final class Standing<T> {
  /** Which times count. */
  enum Held {
    /** The fact held at these times, whenever the writes took effect. */
    SURELY,
    /** The fact held at these times for some times of the effects. */
    POSSIBLY
  }

  /**
   * The time in which a fact held.
   *
   * @param value the first one that made it true
   * @param node the clock of both times
   * @param start its first HLC
   * @param end its last HLC; {@link Operation#UNKNOWN}: it has no end
   */
  record Value<T>(String key, String value, T fact, int node, long start, long end) {
    boolean isOpen() {
      return end == Operation.UNKNOWN;
    }

    Value<T> from(long later) {
      return new Value<>(key, value, fact, node, later, end);
    }
  }

  /** A write of one key, and the facts that its value makes true. */
  private record Write<T>(int index, Operation operation, Optional<String> value, List<T> facts) {}

  /** A fact, from its first HLC until right before its end. */
  private record Span<T>(T fact, long start, long end) {}

  private final Held held;

  /** How far the clocks of two nodes may differ, as an HLC. */
  private final long margin;

  private final BiFunction<String, String, List<T>> facts;

  /**
   * @param facts those that a value of a key makes true
   */
  Standing(Held held, Epsilon epsilon, BiFunction<String, String, List<T>> facts) {
    this.held = held;
    this.margin = epsilon.isInfinite() ? Operation.UNKNOWN : Hlc.ofMicros(epsilon.micros());
    this.facts = facts;
  }

  /** By start, then by clock. O(n log n) for each clock. */
  List<Value<T>> of(List<Operation> history) {
    List<Operation> operations = new ArrayList<>(history);
    operations.sort(
        Comparator.comparingLong(Operation::invoked).thenComparingLong(Operation::completed));
    Map<String, List<Write<T>>> byKey = new LinkedHashMap<>();
    List<Value<T>> values = new ArrayList<>();
    for (int i = 0; i < operations.size(); i++) {
      int index = i;
      Operation operation = operations.get(i);
      operation
          .writes()
          .forEach(
              (key, value) -> {
                List<T> of = value.map(text -> facts.apply(key, text)).orElse(List.of());
                byKey
                    .computeIfAbsent(key, any -> new ArrayList<>())
                    .add(new Write<>(index, operation, value, of));
              });
      addReads(operation, values);
    }
    byKey.forEach((key, writes) -> addWritten(key, writes, values));
    values.sort(Comparator.<Value<T>>comparingLong(Value::start).thenComparingInt(Value::node));
    return values;
  }

  /** Values of different reads have different keys. */
  private void addReads(Operation operation, List<Value<T>> to) {
    if (operation.completed() == Operation.UNKNOWN) {
      return;
    }
    operation
        .reads()
        .forEach(
            (read, value) -> {
              String key = "read/" + operation.number() + "/" + read;
              for (T fact : facts.apply(key, value)) {
                to.add(
                    new Value<>(
                        key,
                        value,
                        fact,
                        operation.node(),
                        operation.invoked(),
                        operation.completed()));
              }
            });
  }

  /** A clock has a fact from its first write on that finds it true. */
  private void addWritten(String key, List<Write<T>> writes, List<Value<T>> to) {
    int[] nodes =
        writes.stream()
            .filter(write -> !write.facts().isEmpty())
            .mapToInt(write -> write.operation().node())
            .distinct()
            .toArray();
    for (int node : nodes) {
      Map<T, NavigableMap<Long, String>> own = own(node, writes);
      Effects effects = new Effects(writes, node);
      for (Span<T> span : held == Held.SURELY ? effects.sure() : effects.possible()) {
        NavigableMap<Long, String> of = own.get(span.fact());
        Map.Entry<Long, String> first = of == null ? null : of.ceilingEntry(span.start());
        if (first != null && first.getKey() < span.end()) {
          // A value stands until right before the next write.
          long last = span.end() == Operation.UNKNOWN ? Operation.UNKNOWN : span.end() - 1;
          to.add(new Value<>(key, first.getValue(), span.fact(), node, first.getKey(), last));
        }
      }
    }
  }

  /** The clock's own values that make a fact true, by the time from which they count. */
  private Map<T, NavigableMap<Long, String>> own(int node, List<Write<T>> writes) {
    Map<T, NavigableMap<Long, String>> own = new HashMap<>();
    for (Write<T> write : writes) {
      Operation by = write.operation();
      if (by.node() == node) {
        long from = held == Held.SURELY ? by.completed() : by.invoked();
        for (T fact : write.facts()) {
          own.computeIfAbsent(fact, any -> new TreeMap<>())
              .putIfAbsent(from, write.value().orElseThrow());
        }
      }
    }
    return own;
  }

  /** When the writes of a key can be the last that took effect, by the clock of one node. */
  private final class Effects {
    private final int node;

    /** By their starts. */
    private final List<Write<T>> writes;

    /** The starts of {@link #writes}. */
    private final List<Edge> invoked;

    /** For each of {@link #invoked}, the least end from it on. */
    private final long[] leastEnd;

    Effects(List<Write<T>> of, int node) {
      this.node = node;
      writes = of.stream().sorted(Comparator.comparing(this::invoked)).toList();
      invoked = writes.stream().map(this::invoked).toList();
      leastEnd = new long[writes.size() + 1];
      leastEnd[writes.size()] = Operation.UNKNOWN;
      for (int i = writes.size() - 1; i >= 0; i--) {
        leastEnd[i] = Math.min(leastEnd[i + 1], completed(writes.get(i)).at());
      }
    }

    /** When a value may stand that makes the fact true. */
    List<Span<T>> possible() {
      Spans<T> spans = new Spans<>();
      for (Write<T> write : writes) {
        long start = invoked(write).at();
        write.facts().forEach(fact -> spans.add(fact, start, possibleEnd(write)));
      }
      return spans.all();
    }

    /** When one write has taken effect, and all values that may stand make the fact true. */
    List<Span<T>> sure() {
      List<Change<T>> changes = changes();
      Map<Integer, Write<T>> standing = new LinkedHashMap<>();
      Map<T, Integer> counts = new HashMap<>();
      Spans<T> spans = new Spans<>();
      for (int i = 0; i + 1 < changes.size(); i++) {
        Write<T> changed = changes.get(i).of();
        boolean ends = standing.remove(changed.index()) != null;
        if (!ends) {
          standing.put(changed.index(), changed);
        }
        changed.facts().forEach(fact -> counts.merge(fact, ends ? -1 : 1, Integer::sum));
        long start = Math.max(changes.get(i).at(), leastEnd[0]);
        long end = changes.get(i + 1).at();
        if (start < end && !standing.isEmpty()) {
          for (T fact : standing.values().iterator().next().facts()) {
            if (counts.getOrDefault(fact, 0) == standing.size()) {
              spans.add(fact, start, end);
            }
          }
        }
      }
      return spans.all();
    }

    /** For each write, when it can be the last that took effect, by time. */
    private List<Change<T>> changes() {
      List<Change<T>> changes = new ArrayList<>();
      for (Write<T> write : writes) {
        long start = invoked(write).at();
        long end = possibleEnd(write);
        if (start < end) {
          changes.add(new Change<>(start, write));
          changes.add(new Change<>(end, write));
        }
      }
      changes.sort(Comparator.comparingLong(Change::at));
      return changes;
    }

    /** The least end of a write that surely takes effect after {@code write}. */
    private long possibleEnd(Write<T> write) {
      return leastEnd[firstAbove(invoked, completed(write))];
    }

    /** Another clock may have been ahead: then the write began earlier. */
    private Edge invoked(Write<T> write) {
      Operation operation = write.operation();
      return isExact(operation)
          ? new Edge(operation.invoked(), write.index())
          : new Edge(Math.max(0, operation.invoked() - margin), Integer.MAX_VALUE);
    }

    /** Another clock may have been behind: then the write ended later. */
    private Edge completed(Write<T> write) {
      Operation operation = write.operation();
      long at = operation.completed();
      return isExact(operation)
          ? new Edge(at, write.index())
          : new Edge(at + Math.min(margin, Operation.UNKNOWN - at), -1);
    }

    private boolean isExact(Operation operation) {
      return operation.node() == node || margin == 0;
    }
  }

  /** A write can be the last that took effect from this HLC on, or until right before it. */
  private record Change<T>(long at, Write<T> of) {}

  /** Spans that are added by their starts. Those of one fact that overlap or touch are one. */
  private static final class Spans<T> {
    private final Map<T, Span<T>> last = new LinkedHashMap<>();
    private final List<Span<T>> ended = new ArrayList<>();

    void add(T fact, long start, long end) {
      if (start >= end) {
        return;
      }
      Span<T> before = last.get(fact);
      if (before != null && start <= before.end()) {
        last.put(fact, new Span<>(fact, before.start(), Math.max(before.end(), end)));
      } else {
        last.put(fact, new Span<>(fact, start, end));
        if (before != null) {
          ended.add(before);
        }
      }
    }

    List<Span<T>> all() {
      ended.addAll(last.values());
      return ended;
    }
  }

  private static int firstAbove(List<Edge> sorted, Edge bound) {
    int low = 0;
    int high = sorted.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (sorted.get(middle).compareTo(bound) > 0) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /**
   * The start or the end of a write. A write that ends when another one starts is before it; if
   * both start and end at one time, the order of the history decides.
   */
  private record Edge(long at, int index) implements Comparable<Edge> {
    private static final Comparator<Edge> ORDER =
        Comparator.comparingLong(Edge::at).thenComparingInt(Edge::index);

    @Override
    public int compareTo(Edge other) {
      return ORDER.compare(this, other);
    }
  }
}
