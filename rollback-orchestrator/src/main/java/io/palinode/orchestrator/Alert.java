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

  /** The kinds of alerts, and whether their cause lasts. */
  public enum Kind {
    VIOLATION("PalinodeViolation", true),
    VIOLATION_TOO_LATE("PalinodeViolationTooLate"),
    PREDICATE_UNKNOWN("PalinodePredicateUnknown"),
    PLAN_WAITS("PalinodePlanWaits", true),
    PLAN_HALTED("PalinodePlanHalted", true),
    PLAN_ABANDONED("PalinodePlanAbandoned"),
    ROLLBACKS_FREQUENT("PalinodeRollbacksFrequent"),
    APPROVAL_NEEDED("PalinodeApprovalNeeded", true),
    APPROVAL_GIVEN_UP("PalinodeApprovalGivenUp"),
    BUDGET_SPENT("PalinodeBudgetSpent"),
    VIOLATION_STANDS("PalinodeViolationStands"),
    PLAN_RESTARTED("PalinodePlanRestarted"),
    COVERAGE_LOST("PalinodeCoverageLost", true),
    JUDGEMENT_WAITS("PalinodeJudgementWaits", true),
    CLOCK_OFFSET("PalinodeClockOffset", true),
    CLOCK_REFUSED("PalinodeClockRefused"),
    STORAGE_REFUSES("PalinodeStorageRefuses", true),
    OPERATIONS_NOT_JUDGED("PalinodeOperationsNotJudged", true),
    CANNOT_ROLL_BACK("PalinodeCannotRollBack", true),
    CONTROL_WRITE_FAILED("PalinodeControlWriteFailed", true),
    ORCHESTRATOR_STOPPED("PalinodeOrchestratorStopped", true),
    TEST("PalinodeTest");

    private final String alertName;
    private final boolean lasts;

    Kind(String alertName) {
      this(alertName, false);
    }

    Kind(String alertName, boolean lasts) {
      this.alertName = alertName;
      this.lasts = lasts;
    }

    /** Whether the cause lasts until an end; else it is an event. */
    public boolean lasts() {
      return lasts;
    }

    /** The {@code alertname} label. */
    public String alertName() {
      return alertName;
    }
  }
}
