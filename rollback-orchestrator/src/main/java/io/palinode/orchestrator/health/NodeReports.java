package io.palinode.orchestrator.health;

import io.palinode.hvc.Epsilon;
import io.palinode.orchestrator.Alert;
import io.palinode.orchestrator.Unrestorable;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.KeysNotRestored;
import io.palinode.wire.v1.NodeReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The latest reports of all nodes. Thread-safe. It alerts once when a node's clock is off by more
 * than half of ε, once when it is off by more than ε, once when it is off by more than nodes
 * accept, and once when it is right again. It also alerts when a storage starts or stops refusing
 * records, when nodes refuse messages for their clocks, and while a predicate asks for rollbacks
 * that a node cannot do.
 */
public final class NodeReports {
  /** If this process's own records take longer, the log is slow and shows no clock offset. */
  static final long LATE_MICROS = 250_000;

  /** The words that end the reason of a halt for a clock. */
  private static final String CLOCKS = "check the clocks of all nodes";

  private static final int CHARS_MAX = 300;
  private static final double MICROS_PER_SECOND = 1_000_000.0;

  /** A node reports every 10 s. */
  static final Duration SILENCE = Duration.ofSeconds(35);

  /** How the finding of a silent node begins. */
  static final String NOT_REPORTED = "has not reported for";

  private final int nodes;
  private final Clocks clocks = new Clocks();
  private final Map<Integer, NodeReport> reports = new TreeMap<>();
  private final Map<Integer, Long> received = new HashMap<>();
  private final Map<Integer, Boolean> refusing = new HashMap<>();
  private final Map<String, Unrestorable> alerted = new TreeMap<>();
  private volatile Supplier<Map<String, List<String>>> rollingBack = Map::of;
  private boolean late;

  /**
   * The nodes.
   *
   * @param joined the latest status of each that has joined
   * @param epsilons the ε of each that has reported since this orchestrator started
   * @param off why the agents of nodes have turned themselves off
   * @param refusing why the storage of nodes refuses writes, and since when
   * @param awaitRepair those that serve no client until a repair
   * @param reportedMicros when the last report of each arrived, wall clock
   */
  public record Nodes(
      List<NodeStatus> joined,
      Map<Integer, Epsilon> epsilons,
      Map<Integer, String> off,
      Map<Integer, Refusing> refusing,
      Set<Integer> awaitRepair,
      Map<Integer, Long> reportedMicros) {
    public Nodes {
      joined = List.copyOf(joined);
      epsilons = Map.copyOf(epsilons);
      off = Map.copyOf(off);
      refusing = Map.copyOf(refusing);
      awaitRepair = Set.copyOf(awaitRepair);
      reportedMicros = Map.copyOf(reportedMicros);
    }
  }

  /** A storage that refuses writes: since when, by the node's clock, and why. */
  public record Refusing(long sinceMicros, String why) {}

  /**
   * @param nodes the number of nodes; reports of others are ignored
   */
  public NodeReports(int nodes) {
    this.nodes = nodes;
  }

  /**
   * @param predicates those that ask for rollbacks: how their keys begin, by name
   */
  public void follow(Supplier<Map<String, List<String>>> predicates) {
    rollingBack = predicates;
  }

  /**
   * Reads a recent record of the control log, received at {@code receivedMicros} by this process's
   * wall clock. Returns the alerts it raises.
   */
  public synchronized List<Alert> read(ControlRecord record, long receivedMicros) {
    if (record.hasSafePoint()) {
      // The orchestrator's own record: its sender has this process's clock.
      late = receivedMicros - record.getAtMicros() > LATE_MICROS;
      return List.of();
    }
    NodeReport report = record.getNodeReport();
    if (!record.hasNodeReport() || report.getNode() < 0 || report.getNode() >= nodes) {
      return List.of();
    }
    List<Alert> alerts = new ArrayList<>();
    NodeReport before = reports.put(report.getNode(), report);
    received.put(report.getNode(), receivedMicros);
    storage(report, receivedMicros, alerts);
    if (before != null && before.getIncarnation() == report.getIncarnation()) {
      refusals(before, report, receivedMicros, alerts);
    }
    alerts.addAll(clocks.read(report, record.getAtMicros(), receivedMicros, late));
    unrestorable(receivedMicros, alerts);
    return alerts;
  }

  private void unrestorable(long now, List<Alert> alerts) {
    Map<String, Unrestorable> present = new TreeMap<>();
    unrestorable().forEach(each -> present.putIfAbsent(each.predicate(), each));
    alerted
        .values()
        .removeIf(each -> !present.containsKey(each.predicate()) && alerts.add(each.end(now)));
    present.forEach(
        (predicate, each) -> {
          if (alerted.putIfAbsent(predicate, each) == null) {
            alerts.add(each.alert(now));
          }
        });
  }

  /** The predicates in force whose rollbacks a node cannot do, by name and node. */
  public synchronized List<Unrestorable> unrestorable() {
    if (reports.values().stream().allMatch(report -> report.getNotRestoredCount() == 0)) {
      return List.of();
    }
    List<Unrestorable> found = new ArrayList<>();
    rollingBack
        .get()
        .forEach(
            (predicate, prefixes) ->
                reports.forEach(
                    (node, report) ->
                        report.getNotRestoredList().stream()
                            .filter(
                                keys ->
                                    prefixes.stream()
                                        .anyMatch(name -> name.startsWith(keys.getPrefix())))
                            .findFirst()
                            .ifPresent(
                                keys -> found.add(new Unrestorable(predicate, node, why(keys))))));
    return found;
  }

  private static String why(KeysNotRestored keys) {
    return visible(keys.getPrefix()) + ": " + visible(keys.getReason());
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

  /**
   * What the reports show of each node: whether they arrive, its disk, and its clock.
   *
   * @param answersSinceMicros since when Kafka answers: no report arrived before
   */
  public synchronized List<Finding> findings(long nowMicros, long answersSinceMicros) {
    List<Finding> findings = new ArrayList<>();
    reports.forEach(
        (node, report) -> {
          long last = Math.max(received.getOrDefault(node, nowMicros), answersSinceMicros);
          findings.addAll(findings(node, report, (nowMicros - last) / 1_000_000));
        });
    findings.addAll(ClockFindings.of(clocks));
    return findings;
  }

  private List<Finding> findings(int node, NodeReport report, long silentSeconds) {
    String part = "node " + node;
    if (silentSeconds > SILENCE.toSeconds()) {
      return List.of(
          Finding.fault(
              part,
              "%s %d s".formatted(NOT_REPORTED, silentSeconds),
              "see whether its process runs and reaches Kafka"));
    }
    List<Finding> findings = new ArrayList<>(List.of(disk(part, report)));
    ClockFindings.ofNode(report, clocks).ifPresent(findings::add);
    for (KeysNotRestored keys : report.getNotRestoredList()) {
      findings.add(
          Finding.note(
              part,
              "cannot restore " + why(keys),
              "apply no predicate with a rollback to these keys"));
    }
    return findings;
  }

  private static Finding disk(String part, NodeReport report) {
    if (report.hasStorageRefusedSinceMicros()) {
      return Finding.fault(
          part,
          "refuses all writes: " + report.getStorageRefusal(),
          "free space on its disk, or replace the disk");
    }
    if (!report.hasStorageFreeBytes()) {
      return Finding.ok(part, "its disk accepts writes");
    }
    String free = FreeDisk.gib(report.getStorageFreeBytes());
    return FreeDisk.isLow(report.getStorageFreeBytes())
        ? Finding.fault(
            part,
            "only %s are free on its disk; it refuses writes when the disk is full".formatted(free),
            "free space on its disk")
        : Finding.ok(part, "its disk accepts writes, %s are free".formatted(free));
  }

  /** The free space of the node's fullest disk; NaN: unknown. */
  public synchronized double freeBytes(int node) {
    NodeReport report = reports.get(node);
    return report != null && report.hasStorageFreeBytes()
        ? report.getStorageFreeBytes()
        : Double.NaN;
  }

  /** How far the node's clock is ahead of the others, in seconds; NaN: unknown. */
  public synchronized double offsetSeconds(int node) {
    Long micros = clocks.aheadOfMedianMicros(node);
    return micros == null ? Double.NaN : micros / MICROS_PER_SECOND;
  }

  /** Bounds on how far a node's clock is ahead of another's, in seconds; NaN: unknown. */
  public synchronized double pairSeconds(int node, int other, boolean most, long nowMicros) {
    PairOffset pair = clocks.pair(node, other, nowMicros);
    return pair == null || pair.isMoved()
        ? Double.NaN
        : (most ? pair.mostMicros() : pair.leastMicros()) / MICROS_PER_SECOND;
  }

  /** The least ε of the nodes that have reported, in seconds; NaN: none, or all are infinite. */
  public synchronized double epsilonSeconds() {
    return reports.values().stream()
        .filter(NodeReport::hasEpsilonMicros)
        .mapToDouble(report -> report.getEpsilonMicros() / MICROS_PER_SECOND)
        .min()
        .orElse(Double.NaN);
  }

  /** The ε of each node that has reported. */
  public synchronized Map<Integer, Epsilon> epsilons() {
    Map<Integer, Epsilon> epsilons = new TreeMap<>();
    reports.forEach(
        (node, report) ->
            epsilons.put(
                node,
                report.hasEpsilonMicros()
                    ? Epsilon.ofMicros(report.getEpsilonMicros())
                    : Epsilon.INFINITE));
    return epsilons;
  }

  /** Why the agents of nodes have turned themselves off, by the latest report of each node. */
  private Map<Integer, String> off() {
    Map<Integer, String> off = new TreeMap<>();
    reports.forEach(
        (node, report) -> {
          if (!report.getOff().isEmpty()) {
            off.put(node, visible(report.getOff()));
          }
        });
    return off;
  }

  /** The nodes, of which these have joined. */
  public synchronized Nodes of(List<NodeStatus> joined) {
    Map<Integer, Refusing> full = new TreeMap<>();
    reports.forEach(
        (node, report) -> {
          if (report.hasStorageRefusedSinceMicros()) {
            full.put(
                node,
                new Refusing(
                    report.getStorageRefusedSinceMicros(), visible(report.getStorageRefusal())));
          }
        });
    Set<Integer> awaitRepair =
        reports.values().stream()
            .filter(NodeReport::getAwaitsRepair)
            .map(NodeReport::getNode)
            .collect(Collectors.toSet());
    return new Nodes(joined, epsilons(), off(), full, awaitRepair, received);
  }

  /** The release of each node that has reported, as {@link Versions#shown}. */
  public synchronized Map<Integer, String> versions() {
    Map<Integer, String> versions = new TreeMap<>();
    reports.forEach((node, report) -> versions.put(node, Versions.shown(report.getVersion())));
    return versions;
  }

  /** What other machines may do at nodes without proof, by the latest report of each node. */
  public synchronized List<String> open() {
    return reports.entrySet().stream()
        .filter(report -> !report.getValue().getOpen().isEmpty())
        .map(
            report ->
                "node %d: %s".formatted(report.getKey(), visible(report.getValue().getOpen())))
        .toList();
  }

  /** The keys that some node cannot restore: how they begin, and why. */
  public synchronized Map<String, String> notRestored() {
    Map<String, String> keys = new TreeMap<>();
    reports.forEach(
        (node, report) ->
            report
                .getNotRestoredList()
                .forEach(
                    each ->
                        keys.putIfAbsent(
                            each.getPrefix(),
                            "node %d cannot restore %s".formatted(node, why(each)))));
    return keys;
  }

  /** The stores of all nodes; empty: those of some node are not known. */
  public synchronized Set<String> stores() {
    boolean known =
        reports.size() == nodes
            && reports.values().stream().allMatch(report -> report.getStoresCount() > 0);
    return known
        ? reports.values().stream()
            .flatMap(report -> report.getStoresList().stream())
            .map(NodeReports::visible)
            .collect(Collectors.toUnmodifiableSet())
        : Set.of();
  }

  /** Cut, and without the characters that control a terminal. */
  public static String visible(String text) {
    String shown = text.replaceAll("[^\\x20-\\x7e]", "?");
    return shown.length() <= CHARS_MAX ? shown : shown.substring(0, CHARS_MAX) + "…";
  }

  /** The nodes whose clocks are wrong, and by how much, in words; null: none is known. */
  public synchronized @Nullable String wrongClocks() {
    String all =
        clocks.wrongInWords(Clocks.Level.BEYOND_EPSILON).entrySet().stream()
            .map(clock -> "the clock of node %d is %s".formatted(clock.getKey(), clock.getValue()))
            .collect(Collectors.joining(", "));
    return all.isEmpty() ? null : all;
  }

  /** The record, with the wrong clocks added to the reason of a halt for a clock. */
  public ControlRecord naming(ControlRecord record) {
    String reason = record.getHalted().getReason();
    String wrong = reason.endsWith(CLOCKS) ? wrongClocks() : null;
    return wrong == null
        ? record
        : record.toBuilder()
            .setHalted(record.getHalted().toBuilder().setReason(reason + ": " + wrong))
            .build();
  }

  /** The alert, with the wrong clocks added if a plan waits. */
  public Alert naming(Alert alert) {
    String wrong = alert.kind() == Alert.Kind.PLAN_WAITS ? wrongClocks() : null;
    if (wrong == null) {
      return alert;
    }
    return alert.annotated("summary", alert.summary() + "; " + wrong);
  }
}
