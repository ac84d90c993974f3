package io.palinode.demo.report;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import io.palinode.demo.watch.RuleResult;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one mode did. The components' names are the JSON output's; null stands for "not measured in
 * this mode".
 *
 * @param violations reported with grade {@code possible} or {@code definite}: those that act by
 *     default
 * @param trueViolations pairs that surely overlapped by the clients' own log of sections
 * @param possibleViolations further pairs that may have: a write was under way when the other
 *     section began or ended
 * @param precision share of the reported violations that the log does not rule out; null when none
 *     was reported
 * @param recall share of the log's violations that were reported or discarded with one; null when
 *     there was none
 * @param uncertainReports reported with grade {@code uncertain} only: one section followed the
 *     other, within ε
 * @param rules by each replica rule that judged the run, {@code first} before {@code any}; the
 *     figures above are of the first of them. Empty when the run was not watched
 * @param storeSettings the store's replicas, and how many of them a read and a write wait for
 * @param antiStall when keys began, and ended, to be used sequentially because of rollbacks; empty
 *     when they never did
 * @param wastedOperations operations of tasks that a rollback discarded
 */
@JsonPropertyOrder({
  "mode",
  "operationsPerSecond",
  "tasksPerSecond",
  "elapsedSeconds",
  "violations",
  "trueViolations",
  "precision",
  "recall",
  "rollbacks",
  "detectionLatencyMs",
  "rollbackMs",
  "wastedOperations",
  "answerCorrect",
  "possibleViolations",
  "operations",
  "tasks",
  "improperEdges",
  "uncertainReports",
  "rules",
  "storeSettings",
  "antiStall"
})
public record ModeResult(
    String mode,
    double operationsPerSecond,
    double tasksPerSecond,
    double elapsedSeconds,
    long violations,
    long trueViolations,
    @Nullable Double precision,
    @Nullable Double recall,
    long rollbacks,
    @Nullable DetectionLatency detectionLatencyMs,
    @Nullable RollbackTime rollbackMs,
    long wastedOperations,
    boolean answerCorrect,
    long possibleViolations,
    long operations,
    long tasks,
    int improperEdges,
    long uncertainReports,
    List<RuleResult> rules,
    String storeSettings,
    List<AntiStallChange> antiStall) {
  public ModeResult {
    rules = List.copyOf(rules);
    antiStall = List.copyOf(antiStall);
  }

  /** From the write that completes a violation to the orchestrator, milliseconds. */
  public record DetectionLatency(double p50, double p99, double p999, double max) {}

  /** From the plan to the cluster serving again, milliseconds. */
  public record RollbackTime(double p50, double max) {}
}
