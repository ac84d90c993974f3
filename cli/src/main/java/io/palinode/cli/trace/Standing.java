package io.palinode.cli.trace;

import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * When each value of a history stood. Pure.
 *
 * <p>A write takes effect once, at some time from its start to its end. Writes of one key can
 * overlap, so their order can be unknown. Times of two clocks are compared with a margin of ε.
 */
final class Standing {
  /** Which times count. */
  enum Held {
    /** The value stood at these times, whenever the writes took effect. */
    SURELY,
    /** The value stood at these times for some times of the effects. */
    POSSIBLY
  }

  /**
   * The time in which a value stood.
   *
   * @param node the clock of both times
   * @param start its first HLC
   * @param end its last HLC; {@link Operation#UNKNOWN}: it has no end
   */
  record Value(String key, String value, int node, long start, long end) {}

  /** A write of one key. */
  private record Write(int index, Operation operation, Optional<String> value) {}

  private final Held held;

  /** How far the clocks of two nodes may differ, as an HLC. */
  private final long margin;

  Standing(Held held, Epsilon epsilon) {
    this.held = held;
    this.margin = epsilon.isInfinite() ? Operation.UNKNOWN : Hlc.ofMicros(epsilon.micros());
  }

  /** By start, then by clock. O(n log n) for each clock. */
  List<Value> of(List<Operation> history) {
    List<Operation> operations = new ArrayList<>(history);
    operations.sort(
        Comparator.comparingLong(Operation::invoked).thenComparingLong(Operation::completed));
    Map<String, List<Write>> byKey = new LinkedHashMap<>();
    List<Value> values = new ArrayList<>();
    for (int i = 0; i < operations.size(); i++) {
      int index = i;
      Operation operation = operations.get(i);
      operation
          .writes()
          .forEach(
              (key, value) -> {
                List<Write> writes = byKey.computeIfAbsent(key, any -> new ArrayList<>());
                writes.add(new Write(index, operation, value));
              });
      addReads(operation, values);
    }
    byKey.forEach((key, writes) -> addWritten(key, writes, values));
    values.sort(Comparator.comparingLong(Value::start).thenComparingInt(Value::node));
    return values;
  }

  /** Values of different reads have different keys. */
  private static void addReads(Operation operation, List<Value> to) {
    if (operation.completed() != Operation.UNKNOWN) {
      operation
          .reads()
          .forEach(
              (key, value) ->
                  to.add(
                      new Value(
                          "read/" + operation.number() + "/" + key,
                          value,
                          operation.node(),
                          operation.invoked(),
                          operation.completed())));
    }
  }

  private void addWritten(String key, List<Write> writes, List<Value> to) {
    int[] nodes = writes.stream().mapToInt(write -> write.operation().node()).distinct().toArray();
    for (int node : nodes) {
      Ends ends = new Ends(writes, node);
      for (Write write : writes) {
        if (write.operation().node() == node) {
          write.value().ifPresent(value -> add(key, value, write, ends, to));
        }
      }
    }
  }

  private void add(String key, String value, Write write, Ends ends, List<Value> to) {
    Operation by = write.operation();
    long start = held == Held.SURELY ? by.completed() : by.invoked();
    long end = held == Held.SURELY ? ends.sureEnd(write) : ends.possibleEnd(write);
    if (start < end) {
      // A value stands until right before the next write.
      long last = end == Operation.UNKNOWN ? end : end - 1;
      to.add(new Value(key, value, by.node(), start, last));
    }
  }

  /** When writes of a key can end a value, by the clock of one node. */
  private final class Ends {
    private final int node;

    /** The ends of all writes, sorted. */
    private final List<Edge> completed;

    /** For each of {@link #completed}, the least starts from it on. */
    private final TwoLeast[] leastStarts;

    /** The starts of all writes, sorted. */
    private final List<Edge> invoked;

    /** For each of {@link #invoked}, the least end from it on. */
    private final long[] leastEnd;

    Ends(List<Write> writes, int node) {
      this.node = node;
      List<Write> byEnd = sorted(writes, this::completed);
      completed = byEnd.stream().map(this::completed).toList();
      leastStarts = new TwoLeast[byEnd.size() + 1];
      leastStarts[byEnd.size()] = TwoLeast.NONE;
      for (int i = byEnd.size() - 1; i >= 0; i--) {
        leastStarts[i] = leastStarts[i + 1].with(invoked(byEnd.get(i)));
      }
      List<Write> byStart = sorted(writes, this::invoked);
      invoked = byStart.stream().map(this::invoked).toList();
      leastEnd = new long[byStart.size() + 1];
      leastEnd[byStart.size()] = Operation.UNKNOWN;
      for (int i = byStart.size() - 1; i >= 0; i--) {
        leastEnd[i] = Math.min(leastEnd[i + 1], completed(byStart.get(i)).at());
      }
    }

    /** The least start of a write that can take effect after {@code write}. */
    long sureEnd(Write write) {
      return leastStarts[firstAbove(completed, invoked(write))].except(write.index());
    }

    /** The least end of a write that surely takes effect after {@code write}. */
    long possibleEnd(Write write) {
      return leastEnd[firstAbove(invoked, completed(write))];
    }

    /** Another clock may have been ahead: then the write began earlier. */
    private Edge invoked(Write write) {
      Operation operation = write.operation();
      return operation.node() == node
          ? new Edge(operation.invoked(), write.index())
          : new Edge(Math.max(0, operation.invoked() - margin), Integer.MAX_VALUE);
    }

    /** Another clock may have been behind: then the write ended later. */
    private Edge completed(Write write) {
      Operation operation = write.operation();
      long at = operation.completed();
      return operation.node() == node
          ? new Edge(at, write.index())
          : new Edge(at + Math.min(margin, Operation.UNKNOWN - at), -1);
    }
  }

  private static List<Write> sorted(List<Write> writes, Function<Write, Edge> by) {
    return writes.stream().sorted(Comparator.comparing(by)).toList();
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

  /** The least time of some writes, and the least one of the others. */
  private record TwoLeast(long least, int index, long next) {
    private static final TwoLeast NONE = new TwoLeast(Operation.UNKNOWN, -1, Operation.UNKNOWN);

    TwoLeast with(Edge added) {
      if (added.at() < least) {
        return new TwoLeast(added.at(), added.index(), least);
      }
      return added.at() < next ? new TwoLeast(least, index, added.at()) : this;
    }

    long except(int write) {
      return write == index ? next : least;
    }
  }
}
