package io.palinode.orchestrator.health;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;

/**
 * How far each node's clock is from the median of all clocks, including this process's.
 *
 * <p>A record that a node sent at its time s is received at r: r − s is its delay minus the node's
 * offset. The least of the latest three is taken, so the estimate is too low by the least delay,
 * and never too high. The median removes what all nodes share: a slow log, and a wrong clock of
 * this process.
 *
 * <p>Guarantee: an estimate is wrong by at most {@link #ERROR_MICROS} if one of three records per
 * node takes at most that long, and more than half of the clocks are right. Not thread-safe. O(n
 * log n) for a record of n nodes.
 */
final class ClockOffsets {
  static final int SAMPLES = 3;
  static final long ERROR_MICROS = 100_000;

  /** A node without records for this time has no estimate. */
  static final long FORGET_MICROS = 60_000_000;

  private final SortedMap<Integer, Deque<Sample>> samples = new TreeMap<>();

  private record Sample(long receivedMicros, long aheadMicros) {}

  void observe(int node, long sentMicros, long receivedMicros) {
    Deque<Sample> known = samples.computeIfAbsent(node, unknown -> new ArrayDeque<>(SAMPLES + 1));
    known.addLast(new Sample(receivedMicros, sentMicros - receivedMicros));
    if (known.size() > SAMPLES) {
      known.removeFirst();
    }
  }

  /** Whether the estimate of the node can show that its clock is slow. */
  boolean isSettled(int node) {
    Deque<Sample> known = samples.get(node);
    return known != null && known.size() == SAMPLES;
  }

  /** Offsets by node in microseconds; positive: ahead. Only nodes with recent records. */
  Map<Integer, Long> at(long nowMicros) {
    samples.values().removeIf(of -> nowMicros - of.getLast().receivedMicros() > FORGET_MICROS);
    SortedMap<Integer, Long> offsets = new TreeMap<>();
    samples.forEach((node, of) -> offsets.put(node, estimate(of)));
    long median = median(offsets.values().stream().mapToLong(Long::longValue));
    offsets.replaceAll((node, micros) -> micros - median);
    return offsets;
  }

  /**
   * The offset of one node. A record is never early, so fewer than three cannot show a slow clock.
   */
  private static long estimate(Deque<Sample> of) {
    long ahead = of.stream().mapToLong(Sample::aheadMicros).max().orElse(0);
    return of.size() < SAMPLES ? Math.max(0, ahead) : ahead;
  }

  private static long median(LongStream nodes) {
    long[] all = LongStream.concat(LongStream.of(0), nodes).sorted().toArray();
    long lower = all[(all.length - 1) / 2];
    long upper = all[all.length / 2];
    return lower + (upper - lower) / 2;
  }
}
