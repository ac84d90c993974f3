package io.palinode.orchestrator;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A message to operators about one cause, or about its end. Immutable.
 *
 * @param labels the identity: two alerts with equal kind and labels concern the same cause
 * @param annotations further facts
 * @param destinations {@code console}, {@code FORMAT:URL}; empty: the operators' destinations
 * @param endMicros when the cause ended; 0: it has not
 */
public record Alert(
    Kind kind,
    Map<String, String> labels,
    Map<String, String> annotations,
    List<String> destinations,
    long atMicros,
    long endMicros) {

  private static final String SUMMARY = "summary";

  public Alert {
    labels = Collections.unmodifiableMap(new TreeMap<>(labels));
    annotations = Collections.unmodifiableMap(new TreeMap<>(annotations));
    destinations = List.copyOf(destinations);
    endMicros = endMicros == 0 ? 0 : Math.max(atMicros, endMicros);
  }

  /** Of a cause that has not ended. */
  public Alert(
      Kind kind,
      Map<String, String> labels,
      Map<String, String> annotations,
      List<String> destinations,
      long atMicros) {
    this(kind, labels, annotations, destinations, atMicros, 0);
  }

  public boolean isEnded() {
    return endMicros != 0;
  }

  /** The end of this alert's cause, not before its start. */
  public Alert endedAt(long micros) {
    return new Alert(kind, labels, annotations, destinations, atMicros, micros);
  }

  /** With another label. */
  public Alert labelled(String name, String value) {
    Map<String, String> more = new TreeMap<>(labels);
    more.put(name, value);
    return new Alert(kind, more, annotations, destinations, atMicros, endMicros);
  }

  /** With another annotation. */
  public Alert annotated(String name, String value) {
    Map<String, String> more = new TreeMap<>(annotations);
    more.put(name, value);
    return new Alert(kind, labels, more, destinations, atMicros, endMicros);
  }

  /** The summary; empty: none. */
  public String summary() {
    return annotations.getOrDefault(SUMMARY, "");
  }

  /** An alert to the operators of the cluster. */
  public static Alert toOperator(
      Kind kind, Map<String, String> labels, String summary, long atMicros) {
    return new Alert(kind, labels, Map.of(SUMMARY, summary), List.of(), atMicros);
  }

  /** The kinds of alerts: whether their cause lasts, and their runbook. */
  public enum Kind {
    VIOLATION(
        "PalinodeViolation", true, "how-to/debug-a-violation.md#save-a-witness-and-check-it-again"),
    VIOLATION_TOO_LATE("PalinodeViolationTooLate", false, "reference/status.md#outcomes"),
    PREDICATE_UNKNOWN("PalinodePredicateUnknown", false, "reference/status.md#outcomes"),
    PLAN_WAITS(
        "PalinodePlanWaits",
        true,
        "how-to/unstick-a-halted-rollback.md#if-a-node-cannot-take-part"),
    PLAN_HALTED("PalinodePlanHalted", true, "how-to/unstick-a-halted-rollback.md#by-reason"),
    PLAN_ABANDONED("PalinodePlanAbandoned", false, "how-to/unstick-a-halted-rollback.md#abandon"),
    ROLLBACKS_FREQUENT(
        "PalinodeRollbacksFrequent", false, "reference/predicates.md#when-rollbacks-are-frequent"),
    APPROVAL_NEEDED(
        "PalinodeApprovalNeeded", true, "how-to/approve-rollbacks.md#approve-or-reject"),
    APPROVAL_GIVEN_UP(
        "PalinodeApprovalGivenUp", false, "how-to/approve-rollbacks.md#approve-or-reject"),
    BUDGET_SPENT("PalinodeBudgetSpent", false, "how-to/approve-rollbacks.md#renew-a-budget"),
    VIOLATION_STANDS("PalinodeViolationStands", false, "reference/status.md#outcomes"),
    PLAN_RESTARTED(
        "PalinodePlanRestarted",
        false,
        "how-to/unstick-a-halted-rollback.md#avoid-a-halt-onunreachable"),
    COVERAGE_LOST("PalinodeCoverageLost", true, "how-to/handle-a-fault.md#a-coverage-gap"),
    JUDGEMENT_WAITS("PalinodeJudgementWaits", true, "reference/status.md#waits"),
    CLOCK_OFFSET("PalinodeClockOffset", true, "how-to/handle-a-fault.md#a-wrong-clock"),
    CLOCK_REFUSED("PalinodeClockRefused", false, "how-to/handle-a-fault.md#a-wrong-clock"),
    STORAGE_REFUSES(
        "PalinodeStorageRefuses", true, "how-to/handle-a-fault.md#a-full-disk-of-a-node"),
    OPERATIONS_NOT_JUDGED(
        "PalinodeOperationsNotJudged", true, "how-to/find-lost-updates.md#if-nothing-is-found"),
    CANNOT_ROLL_BACK("PalinodeCannotRollBack", true, "reference/cassandra-tables.md#refused"),
    CONTROL_WRITE_FAILED(
        "PalinodeControlWriteFailed", true, "how-to/handle-a-fault.md#a-record-cannot-be-written"),
    ORCHESTRATOR_STOPPED(
        "PalinodeOrchestratorStopped", true, "how-to/handle-a-fault.md#a-killed-process"),
    TEST("PalinodeTest", false, "how-to/monitor-palinode.md#destinations-of-alerts");

    private final String alertName;
    private final boolean lasts;
    private final String runbook;

    Kind(String alertName, boolean lasts, String runbook) {
      this.alertName = alertName;
      this.lasts = lasts;
      this.runbook = runbook;
    }

    /** Whether the cause lasts until an end; else it is an event. */
    public boolean lasts() {
      return lasts;
    }

    /** The {@code alertname} label. */
    public String alertName() {
      return alertName;
    }

    /** The page of the docs, with its heading, that says what to do. */
    public String runbook() {
      return runbook;
    }
  }
}
