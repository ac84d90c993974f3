package io.palinode.orchestrator.health;

import io.palinode.orchestrator.Alert;
import io.palinode.wire.v1.NodeReport;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The clocks of all nodes against ε: by bounds of each pair, and roughly by the median of all.
 *
 * <p>Bounds of a pair hold at any delay of the log. So a clock is near or beyond ε for certain, and
 * a slow log raises no alert. The median finds clocks that are far off at their first report, and
 * those of nodes of an earlier release. Not thread-safe.
 */
final class Clocks {
  private static final double MICROS_PER_SECOND = 1_000_000.0;

  /** An alert starts at this share of ε, before the first verdict can be wrong. */
  private static final int NEAR = 2;

  /** It ends below this share, so that it does not end and start again. */
  private static final int NEAR_ALERTED = 4;

  private final ClockOffsets offsets = new ClockOffsets();
  private final PairOffsets pairs = new PairOffsets();
  private final Map<Integer, NodeReport> reports = new TreeMap<>();
  private final Map<Integer, Long> medians = new TreeMap<>();
  private final Map<Integer, Level> alerted = new HashMap<>();
  private List<PairOffset> known = List.of();
  private Map<Integer, Wrong> wrong = Map.of();

  /** How wrong a clock is. */
  enum Level {
    RIGHT,
    /** Off by more than half of ε. */
    NEAR_EPSILON,
    /** Off by more than ε: grades of violations, and cuts, may be wrong. */
    BEYOND_EPSILON,
    /** Off by more than nodes accept: they refuse messages, and plans may halt. */
    BEYOND_DRIFT
  }

  /** A clock that is wrong, by its worst pair, with that clock's node first. */
  private record Wrong(Level level, PairOffset pair) {}

  /**
   * Reads a node's report. Returns the alerts it raises.
   *
   * @param late the log is slow, so {@code sentMicros} does not show how far the clock is off
   */
  List<Alert> read(NodeReport report, long sentMicros, long nowMicros, boolean late) {
    int node = report.getNode();
    reports.put(node, report);
    pairs.reported(node, report.getPeersList(), sentMicros, nowMicros);
    if (!late) {
      offsets.observe(node, sentMicros, nowMicros);
      medians.clear();
      medians.putAll(offsets.at(nowMicros));
    }
    known = pairs.at(nowMicros);
    wrong = wrong();
    SortedSet<Integer> nodes = new TreeSet<>(late ? List.of() : medians.keySet());
    known.forEach(pair -> nodes.addAll(List.of(pair.node(), pair.other())));
    List<Alert> alerts = new ArrayList<>();
    nodes.forEach(each -> alert(each, nowMicros, alerts));
    return alerts;
  }

  private void alert(int node, long now, List<Alert> alerts) {
    Level level = level(node);
    Level before = alerted.getOrDefault(node, Level.RIGHT);
    if (level.compareTo(before) > 0) {
      alerted.put(node, level);
      alerts.add(NodeAlerts.clockOff(report(node), level, inWords(node), now));
    } else if (level == Level.RIGHT && before != Level.RIGHT && !isMoved(node)) {
      alerted.put(node, level);
      alerts.add(NodeAlerts.clockRight(node, now));
    }
  }

  /** Whether there are bounds, which hold at any delay of the log, as the median does not. */
  boolean isMeasured(int node) {
    return known.stream().anyMatch(pair -> isOf(pair, node) && !pair.isMoved());
  }

  private boolean isMoved(int node) {
    return known.stream().anyMatch(pair -> isOf(pair, node) && pair.isMoved());
  }

  /** The fewest nodes, or nearly so, that have a clock of each pair that is apart. */
  private Map<Integer, Wrong> wrong() {
    List<PairOffset> apart = new ArrayList<>(known);
    apart.removeIf(pair -> level(pair) == Level.RIGHT);
    Map<Integer, Wrong> found = new TreeMap<>();
    Integer next = worst(apart);
    while (next != null) {
      int worst = next;
      PairOffset pair =
          apart.stream()
              .filter(each -> isOf(each, worst))
              .max(Comparator.comparingLong(PairOffset::apartMicros))
              .orElseThrow();
      found.put(worst, new Wrong(level(pair), pair.node() == worst ? pair : pair.reversed()));
      apart.removeIf(each -> isOf(each, worst));
      next = worst(apart);
    }
    return found;
  }

  /**
   * The node of most pairs; of several, the one that is farther from the median. Null: that is not
   * known yet.
   */
  private @Nullable Integer worst(List<PairOffset> apart) {
    Map<Integer, Long> counts =
        apart.stream()
            .flatMap(pair -> Stream.of(pair.node(), pair.other()))
            .collect(Collectors.groupingBy(node -> node, TreeMap::new, Collectors.counting()));
    if (counts.isEmpty()) {
      return null;
    }
    long most = Collections.max(counts.values());
    counts.values().removeIf(count -> count < most);
    boolean isKnown = counts.size() == 1 || counts.keySet().stream().allMatch(offsets::isSettled);
    return isKnown
        ? Collections.max(
            counts.keySet(),
            Comparator.comparingLong(node -> Math.abs(medians.getOrDefault(node, 0L))))
        : null;
  }

  private static boolean isOf(PairOffset pair, int node) {
    return pair.node() == node || pair.other() == node;
  }

  private Level level(PairOffset pair) {
    NodeReport one = report(pair.node());
    NodeReport other = report(pair.other());
    long apart = pair.apartMicros();
    if (apart > Math.min(one.getMaxDriftMicros(), other.getMaxDriftMicros())) {
      return Level.BEYOND_DRIFT;
    }
    if (!one.hasEpsilonMicros() || !other.hasEpsilonMicros()) {
      return Level.RIGHT;
    }
    long epsilon = epsilonMicros(pair);
    if (apart > epsilon) {
      return Level.BEYOND_EPSILON;
    }
    boolean isAlerted = alerted(pair.node()) || alerted(pair.other());
    return apart > epsilon / (isAlerted ? NEAR_ALERTED : NEAR) ? Level.NEAR_EPSILON : Level.RIGHT;
  }

  private boolean alerted(int node) {
    return alerted.getOrDefault(node, Level.RIGHT) != Level.RIGHT;
  }

  /** How wrong the clock of a node is. */
  Level level(int node) {
    Wrong of = wrong.get(node);
    Level byMedian = levelByMedian(node);
    return of == null || byMedian.compareTo(of.level()) > 0 ? byMedian : of.level();
  }

  /** The same, only by the median of all clocks. It counts for a node without measured pairs. */
  Level levelByMedian(int node) {
    NodeReport report = reports.get(node);
    Long offset = medians.get(node);
    if (report == null || offset == null || isMeasured(node)) {
      return Level.RIGHT;
    }
    long sure = Math.abs(offset) - ClockOffsets.ERROR_MICROS;
    if (sure > report.getMaxDriftMicros()) {
      return Level.BEYOND_DRIFT;
    }
    boolean beyond = report.hasEpsilonMicros() && sure > report.getEpsilonMicros();
    return beyond ? Level.BEYOND_EPSILON : Level.RIGHT;
  }

  /** Each node whose clock is wrong or near ε, and by how much, in words. */
  Map<Integer, String> wrongInWords(Level least) {
    Map<Integer, String> words = new TreeMap<>();
    reports.keySet().stream()
        .filter(node -> level(node).compareTo(least) >= 0)
        .forEach(node -> words.put(node, inWords(node)));
    return words;
  }

  private String inWords(int node) {
    Wrong of = wrong.get(node);
    return of == null || levelByMedian(node) != Level.RIGHT
        ? aheadOfMedian(node)
        : of.pair().inWords();
  }

  /** Such as "10.0 s ahead of the other clocks". */
  String aheadOfMedian(int node) {
    long micros = medians.getOrDefault(node, 0L);
    return String.format(
        Locale.ROOT,
        "%.1f s %s the other clocks",
        Math.abs(micros) / MICROS_PER_SECOND,
        micros < 0 ? "behind" : "ahead of");
  }

  /** How far the node's clock is ahead of the median; null: unknown. */
  @Nullable Long aheadOfMedianMicros(int node) {
    return medians.get(node);
  }

  /** All pairs that are measured, by the latest reports. */
  List<PairOffset> pairs() {
    return known;
  }

  /** Bounds at this time; null: not measured. */
  @Nullable PairOffset pair(int node, int other, long nowMicros) {
    return pairs.pair(node, other, nowMicros);
  }

  /** The ε of a pair's nodes, the smaller one if they differ; the greatest long: infinite. */
  long epsilonMicros(PairOffset pair) {
    return Math.min(epsilonMicros(pair.node()), epsilonMicros(pair.other()));
  }

  private long epsilonMicros(int node) {
    NodeReport report = report(node);
    return report.hasEpsilonMicros() ? report.getEpsilonMicros() : Long.MAX_VALUE;
  }

  private NodeReport report(int node) {
    return reports.getOrDefault(node, NodeReport.newBuilder().setNode(node).build());
  }
}
