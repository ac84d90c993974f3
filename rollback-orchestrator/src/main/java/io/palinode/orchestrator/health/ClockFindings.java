package io.palinode.orchestrator.health;

import io.palinode.orchestrator.health.Clocks.Level;
import io.palinode.wire.v1.NodeReport;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What is known of each pair of clocks against ε. Pure. */
final class ClockFindings {
  /** Of more pairs, only the worst one of each node is listed. */
  static final int PAIRS_MAX = 10;

  private static final String PART = "clocks";
  private static final double MICROS_PER_MILLI = 1_000.0;

  private ClockFindings() {}

  /** Of a node by the median of all clocks. Empty: its pairs show more. */
  static Optional<Finding> ofNode(NodeReport report, Clocks clocks) {
    int node = report.getNode();
    String part = "node " + node;
    String epsilon =
        report.hasEpsilonMicros()
            ? "epsilon is %.1f ms".formatted(report.getEpsilonMicros() / MICROS_PER_MILLI)
            : "epsilon is infinite";
    String found = "its clock is %s; %s".formatted(clocks.aheadOfMedian(node), epsilon);
    if (clocks.levelByMedian(node) != Level.RIGHT) {
      return Optional.of(Finding.fault(part, found, "set its clock right, and run a time service"));
    }
    if (clocks.isMeasured(node)) {
      return Optional.empty();
    }
    return Optional.of(
        clocks.aheadOfMedianMicros(node) == null
            ? Finding.note(
                part, "its clock is not measured yet; " + epsilon, "ask again after 30 s")
            : Finding.ok(part, found + ", measured to 100 ms"));
  }

  /** Of each pair, or of the worst pairs. */
  static List<Finding> of(Clocks clocks) {
    return listed(clocks.pairs()).stream().map(pair -> finding(pair, clocks)).toList();
  }

  private static List<PairOffset> listed(List<PairOffset> pairs) {
    if (pairs.size() <= PAIRS_MAX) {
      return pairs;
    }
    List<PairOffset> sorted = new ArrayList<>(pairs);
    sorted.sort(
        Comparator.comparingLong(PairOffset::apartMicros)
            .thenComparingLong(PairOffset::apartMicrosMax));
    Map<Integer, PairOffset> worst = new TreeMap<>();
    for (PairOffset pair : sorted) {
      worst.put(pair.node(), pair);
      worst.put(pair.other(), pair);
    }
    return worst.values().stream().distinct().toList();
  }

  private static Finding finding(PairOffset pair, Clocks clocks) {
    long epsilon = clocks.epsilonMicros(pair);
    String against =
        epsilon == Long.MAX_VALUE
            ? "epsilon is infinite"
            : "epsilon is %.1f ms".formatted(epsilon / MICROS_PER_MILLI);
    String found =
        "node %d is %s ahead of node %d; %s"
            .formatted(pair.node(), pair.span(), pair.other(), against);
    if (pair.isMoved()) {
      return Finding.note(
          PART,
          "the clock of node %d or %d was set by more than %.1f ms; %s"
              .formatted(
                  pair.node(),
                  pair.other(),
                  (pair.leastMicros() - pair.mostMicros()) / MICROS_PER_MILLI,
                  against),
          "ask again after 1 min");
    }
    for (int node : List.of(pair.node(), pair.other())) {
      if (pair.apartMicros() > 0 && clocks.level(node) != Level.RIGHT) {
        PairOffset of = node == pair.node() ? pair : pair.reversed();
        return Finding.fault(
            PART,
            "node %d is %s; %s".formatted(node, of.inWords(), against),
            "set the clock of node %d right, and run a time service".formatted(node));
      }
    }
    return pair.apartMicrosMax() <= epsilon
        ? Finding.ok(PART, found)
        : Finding.note(
            PART,
            found + ", so they may differ by more",
            "ask again after 1 min; see docs/how-to/choose-epsilon.md");
  }
}
