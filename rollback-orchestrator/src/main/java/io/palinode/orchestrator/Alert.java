package io.palinode.orchestrator;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A message to operators about one event. Immutable.
 *
 * @param labels the identity: two alerts with equal labels concern the same thing
 * @param annotations further facts
 * @param destinations {@code console}, {@code webhook:URL}; empty: the operators' destinations
 */
public record Alert(
    Kind kind,
    Map<String, String> labels,
    Map<String, String> annotations,
    List<String> destinations,
    long atMicros) {

  public Alert {
    labels = Collections.unmodifiableMap(new TreeMap<>(labels));
    annotations = Collections.unmodifiableMap(new TreeMap<>(annotations));
    destinations = List.copyOf(destinations);
  }

  /** An alert to the operators of the cluster. */
  public static Alert toOperator(
      Kind kind, Map<String, String> labels, String summary, long atMicros) {
    return new Alert(kind, labels, Map.of("summary", summary), List.of(), atMicros);
  }

  /** The kinds of alerts. */
  public enum Kind {
    VIOLATION("PalinodeViolation"),
    VIOLATION_TOO_LATE("PalinodeViolationTooLate"),
    PREDICATE_UNKNOWN("PalinodePredicateUnknown"),
    PLAN_WAITS("PalinodePlanWaits"),
    PLAN_HALTED("PalinodePlanHalted"),
    PLAN_ABANDONED("PalinodePlanAbandoned"),
    ROLLBACKS_FREQUENT("PalinodeRollbacksFrequent"),
    APPROVAL_NEEDED("PalinodeApprovalNeeded"),
    APPROVAL_GIVEN_UP("PalinodeApprovalGivenUp"),
    BUDGET_SPENT("PalinodeBudgetSpent"),
    VIOLATION_STANDS("PalinodeViolationStands"),
    PLAN_RESTARTED("PalinodePlanRestarted"),
    COVERAGE_LOST("PalinodeCoverageLost"),
    JUDGEMENT_WAITS("PalinodeJudgementWaits"),
    CLOCK_OFFSET("PalinodeClockOffset"),
    CLOCK_OFFSET_ENDED("PalinodeClockOffsetEnded"),
    CLOCK_REFUSED("PalinodeClockRefused"),
    STORAGE_REFUSES("PalinodeStorageRefuses"),
    STORAGE_WORKS("PalinodeStorageWorks"),
    CONTROL_WRITE_FAILED("PalinodeControlWriteFailed"),
    ORCHESTRATOR_STOPPED("PalinodeOrchestratorStopped"),
    TEST("PalinodeTest");

    private final String alertName;

    Kind(String alertName) {
      this.alertName = alertName;
    }

    /** The {@code alertname} label. */
    public String alertName() {
      return alertName;
    }
  }
}
