package io.palinode.demo.report;

import com.fasterxml.jackson.annotation.JsonValue;
import io.palinode.demo.watch.RuleResult;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one mode did. Null stands for "not measured in this mode".
 *
 * @param storeSettings the store's replicas, and how many of them a read and a write wait for
 */
public record ModeResult(
    String mode,
    String storeSettings,
    Work work,
    Detected detected,
    RolledBack rolledBack,
    Answer answer) {

  /**
   * What the clients did.
   *
   * @param cpu of the demo's process meanwhile
   */
  public record Work(double elapsedSeconds, long operations, long tasks, CpuUse cpu) {
    public double operationsPerSecond() {
      return operations / elapsedSeconds;
    }

    /** Work that stands: operations also count what rollbacks discard. */
    public double tasksPerSecond() {
      return tasks / elapsedSeconds;
    }

    public Map<String, Double> cpuMicrosPerOperation() {
      return cpu.microsPer(operations);
    }
  }

  /**
   * What was reported.
   *
   * @param violations with grade {@code possible} or {@code definite}: those that act by default
   * @param uncertainReports with grade {@code uncertain} only: one section followed the other,
   *     within ε
   * @param rules by each replica rule that judged the run, {@code first} before {@code any}; the
   *     figures above are of the first of them. Empty when the run was not watched
   */
  public record Detected(
      long violations,
      long uncertainReports,
      @Nullable DetectionLatency latencyMs,
      Accuracy accuracy,
      List<RuleResult> rules) {
    public Detected {
      rules = List.copyOf(rules);
    }
  }

  /**
   * What was reported, held against the clients' own log of sections.
   *
   * @param trueViolations pairs that surely overlapped
   * @param possibleViolations further pairs that may have: a write was under way when the other
   *     section began or ended
   * @param precision share of the reported violations that the log does not rule out; null when
   *     none was reported
   * @param recall share of the log's violations that were reported or discarded with one; null when
   *     there was none
   */
  public record Accuracy(
      long trueViolations,
      long possibleViolations,
      @Nullable Double precision,
      @Nullable Double recall) {}

  /** From the write that completes a violation to the orchestrator, milliseconds. */
  public record DetectionLatency(double p50, double p99, double p999, double max) {}

  /**
   * What became of violations.
   *
   * @param wastedOperations operations of tasks that a rollback discarded
   * @param antiStall when keys began, and ended, to be used sequentially because of rollbacks;
   *     empty when they never did
   */
  public record RolledBack(
      long rollbacks,
      @Nullable RollbackTime timeMs,
      long wastedOperations,
      List<AntiStallChange> antiStall) {
    public RolledBack {
      antiStall = List.copyOf(antiStall);
    }
  }

  /** From the plan to the cluster serving again, milliseconds. */
  public record RollbackTime(double p50, double max) {}

  /** Whether the colouring is proper. */
  public record Answer(boolean isRight, int improperEdges) {}

  /** The documented JSON: all figures side by side, in this order. */
  @JsonValue
  Map<String, @Nullable Object> json() {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("mode", mode);
    json.put("operationsPerSecond", work.operationsPerSecond());
    json.put("tasksPerSecond", work.tasksPerSecond());
    json.put("elapsedSeconds", work.elapsedSeconds);
    json.put("violations", detected.violations);
    json.put("trueViolations", detected.accuracy.trueViolations);
    json.put("precision", detected.accuracy.precision);
    json.put("recall", detected.accuracy.recall);
    json.put("rollbacks", rolledBack.rollbacks);
    json.put("detectionLatencyMs", detected.latencyMs);
    json.put("rollbackMs", rolledBack.timeMs);
    json.put("wastedOperations", rolledBack.wastedOperations);
    json.put("answerCorrect", answer.isRight);
    json.put("possibleViolations", detected.accuracy.possibleViolations);
    json.put("operations", work.operations);
    json.put("tasks", work.tasks);
    json.put("improperEdges", answer.improperEdges);
    json.put("uncertainReports", detected.uncertainReports);
    json.put("rules", detected.rules);
    json.put("storeSettings", storeSettings);
    json.put("antiStall", rolledBack.antiStall);
    json.put("cpuMicrosPerOperation", work.cpuMicrosPerOperation());
    return json;
  }
}
