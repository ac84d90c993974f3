package io.palinode.orchestrator.health;

import io.palinode.orchestrator.Alert;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.NodeReport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The latest reports of all nodes. It raises one alert when a node's clock is further from the
 * others than ε, one when it is further than the drift that nodes accept, and one when it is right
 * again; likewise for a storage that refuses records, and for messages refused for their clocks.
 * Thread-safe.
 */
public final class NodeReports {
  /** If this process's own records take longer, the log is late, and says nothing of clocks. */
  static final long LATE_MICROS = 250_000;

  /** What halts a plan for a clock has these words. */
  private static final String CLOCKS = "check the clocks of all nodes";

  private static final double MICROS_PER_SECOND = 1_000_000.0;

  private final int nodes;
  private final ClockOffsets offsets = new ClockOffsets();
  private final Map<Integer, NodeReport> reports = new TreeMap<>();
  private final Map<Integer, Long> clocks = new TreeMap<>();
  private final Map<Integer, Level> levels = new HashMap<>();
  private final Map<Integer, Boolean> refusing = new HashMap<>();
  private boolean late;

  /** How wrong a clock is. */
  public enum Level {
    RIGHT,
    /** Further than ε: the grades of violations, and cuts, may be wrong. */
    BEYOND_EPSILON,
    /** Further than nodes accept: they refuse messages, and plans may halt. */
    BEYOND_DRIFT
  }

  /**
   * @param nodes so many there are; reports of others are ignored
   */
  public NodeReports(int nodes) {
    this.nodes = nodes;
  }

  /**
   * A record of the control log that was appended lately, and received at {@code receivedMicros} of
   * this process's wall clock. Returns what people should know now.
   */
  public synchronized List<Alert> read(ControlRecord record, long receivedMicros) {
    if (record.hasSafePoint()) {
      // Its own: the one record whose sender has this process's clock.
      late = receivedMicros - record.getAtMicros() > LATE_MICROS;
      return List.of();
    }
    NodeReport report = record.getNodeReport();
    if (!record.hasNodeReport() || report.getNode() < 0 || report.getNode() >= nodes) {
      return List.of();
    }
    List<Alert> alerts = new ArrayList<>();
    NodeReport before = reports.put(report.getNode(), report);
    storage(report, receivedMicros, alerts);
    if (before != null && before.getIncarnation() == report.getIncarnation()) {
      refusals(before, report, receivedMicros, alerts);
    }
    if (!late) {
      offsets.observe(report.getNode(), record.getAtMicros(), receivedMicros);
      clocks.clear();
      clocks.putAll(offsets.at(receivedMicros));
      clocks.keySet().forEach(node -> clock(node, receivedMicros, alerts));
    }
    return alerts;
  }

  private void storage(NodeReport report, long now, List<Alert> alerts) {
    boolean refuses = report.hasStorageRefusedSinceMicros();
    Boolean before = refusing.put(report.getNode(), refuses);
    if (refuses && !Boolean.TRUE.equals(before)) {
      alerts.add(NodeAlerts.storageRefuses(report.getNode(), report.getStorageRefusal(), now));
    } else if (!refuses && Boolean.TRUE.equals(before)) {
      alerts.add(NodeAlerts.storageWorks(report.getNode(), now));
    }
  }

  private static void refusals(NodeReport before, NodeReport report, long now, List<Alert> alerts) {
    boolean known =
        before.getClocksRefused() > 0 && before.getRefusedNode() == report.getRefusedNode();
    if (report.getClocksRefused() > before.getClocksRefused() && !known) {
      alerts.add(NodeAlerts.clockRefused(report, now));
    }
  }

  private void clock(int node, long now, List<Alert> alerts) {
    Level level = level(node);
    Level before = levels.getOrDefault(node, Level.RIGHT);
    levels.put(node, level);
    if (level.compareTo(before) > 0) {
      alerts.add(NodeAlerts.clockOff(reports.get(node), level, ahead(node), now));
    } else if (level == Level.RIGHT && before != Level.RIGHT) {
      alerts.add(NodeAlerts.clockRight(node, now));
    }
  }

  private Level level(int node) {
    NodeReport report = reports.get(node);
    Long offset = clocks.get(node);
    if (report == null || offset == null) {
      return Level.RIGHT;
    }
    long sure = Math.abs(offset) - ClockOffsets.ERROR_MICROS;
    if (sure > report.getMaxDriftMicros()) {
      return Level.BEYOND_DRIFT;
    }
    boolean beyond = report.hasEpsilonMicros() && sure > report.getEpsilonMicros();
    return beyond ? Level.BEYOND_EPSILON : Level.RIGHT;
  }

  /** How far the node's clock is ahead of the others, in seconds; NaN: not known. */
  public synchronized double offsetSeconds(int node) {
    Long micros = clocks.get(node);
    return micros == null ? Double.NaN : micros / MICROS_PER_SECOND;
  }

  /** Which nodes' clocks are wrong, and how far, in words; null: none is known to be. */
  public synchronized @Nullable String wrongClocks() {
    String all =
        clocks.keySet().stream()
            .filter(node -> level(node) != Level.RIGHT)
            .map(node -> "the clock of node %d is %s".formatted(node, ahead(node)))
            .collect(Collectors.joining(", "));
    return all.isEmpty() ? null : all;
  }

  /** The record that halts a plan for a clock, with the nodes whose clocks are wrong. */
  public ControlRecord naming(ControlRecord record) {
    String reason = record.getHalted().getReason();
    String wrong = reason.endsWith(CLOCKS) ? wrongClocks() : null;
    return wrong == null
        ? record
        : record.toBuilder()
            .setHalted(record.getHalted().toBuilder().setReason(reason + ": " + wrong))
            .build();
  }

  /** What a plan waits for may be a clock. */
  public Alert naming(Alert alert) {
    String wrong = alert.kind() == Alert.Kind.PLAN_WAITS ? wrongClocks() : null;
    if (wrong == null) {
      return alert;
    }
    Map<String, String> annotations = new TreeMap<>(alert.annotations());
    annotations.merge("summary", wrong, (summary, more) -> summary + "; " + more);
    return new Alert(
        alert.kind(), alert.labels(), annotations, alert.destinations(), alert.atMicros());
  }

  private String ahead(int node) {
    long micros = clocks.getOrDefault(node, 0L);
    return String.format(
        Locale.ROOT,
        "%.1f s %s the other clocks",
        Math.abs(micros) / MICROS_PER_SECOND,
        micros < 0 ? "behind" : "ahead of");
  }
}
