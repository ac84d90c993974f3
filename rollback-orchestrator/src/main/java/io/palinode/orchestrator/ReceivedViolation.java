package io.palinode.orchestrator;

import io.palinode.hvc.Grade;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.plan.PastPlan;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.violations.Grades;
import io.palinode.wire.v1.Violation;
import org.jspecify.annotations.Nullable;

/**
 * An episode of a violation and its receipt. Immutable.
 *
 * @param violation the first report
 * @param latest the newest report, with the greatest grade of all: the first one, or one of a later
 *     epoch or after a restart, with another id
 * @param receivedMicros the wall clock at the receipt of the record
 * @param replayed the log held it when this orchestrator started, so its latency has no meaning
 * @param outcome null until it is classified
 * @param outcomeBy the user who rejected its rollback; empty: none
 * @param phantom the monitor has published it as a phantom
 * @param ended the HLC of the published end of {@code latest}; 0: none
 */
public record ReceivedViolation(
    Violation violation,
    Violation latest,
    long receivedMicros,
    boolean replayed,
    Command.@Nullable Outcome outcome,
    String outcomeBy,
    boolean phantom,
    long ended) {

  /** In this time after the start of an epoch its nodes open again what holds. */
  private static final long REOPENED_WITHIN = Hlc.ofMicros(1_000_000);

  public static ReceivedViolation first(Violation violation, long atMicros, boolean replayed) {
    return new ReceivedViolation(
        violation, violation, atMicros, replayed, null, "", false, violation.getEnded());
  }

  /** Of both reports. O(1) after the first call. */
  public long bytes() {
    return violation.getSerializedSize() + (long) latest.getSerializedSize();
  }

  /** From the time at which all witnesses held to the receipt; never negative. */
  public long latencyMicros() {
    return Math.max(0, receivedMicros - Hlc.micros(violation.getViolate()));
  }

  /** The greatest grade of all reports. */
  public Grade grade() {
    return Grades.of(latest.getGrade());
  }

  /** With a newer report. One of the first id has a higher grade, and replaces the first. */
  public ReceivedViolation again(Violation report, long atMicros, boolean isReplayed) {
    if (report.getId().equals(violation.getId())) {
      return new ReceivedViolation(
          report, report, atMicros, isReplayed, outcome, outcomeBy, phantom, endAfter(report));
    }
    Violation newest =
        grade().atLeast(Grades.of(report.getGrade()))
            ? report.toBuilder().setGrade(latest.getGrade()).build()
            : report;
    return new ReceivedViolation(
        violation, newest, receivedMicros, replayed, outcome, outcomeBy, phantom, endAfter(report));
  }

  private long endAfter(Violation report) {
    boolean isLatest = report.getId().equals(latest.getId());
    return isLatest ? Math.max(ended, report.getEnded()) : report.getEnded();
  }

  /** With the end of the report of this id. That of an earlier report changes nothing. */
  public ReceivedViolation endedAt(String id, long hlc) {
    return id.equals(latest.getId()) ? endedAt(hlc) : this;
  }

  private ReceivedViolation endedAt(long hlc) {
    return new ReceivedViolation(
        violation,
        latest,
        receivedMicros,
        replayed,
        outcome,
        outcomeBy,
        phantom,
        Math.max(ended, hlc));
  }

  /**
   * Returns the violation with the end that follows from the logs, if none was published: its
   * predicate's version was replaced or deleted, or it did not hold when a later epoch began.
   */
  public ReceivedViolation asOf(MachineState state) {
    if (ended != 0) {
      return this;
    }
    Policy policy = state.policies().get(violation.getPredicate());
    if (policy != null && policy.version() > latest.getPredicateVersion()) {
      return endedAt(Hlc.ofMicros(policy.sinceMicros()));
    }
    PastPlan next = state.log().plans().firstAfter(latest.getEpoch());
    return next != null && isKnownAfter(next, state.found().judged())
        ? endedAt(next.clock())
        : this;
  }

  /** Whether all violations of the plan's epoch that its nodes opened again are published. */
  static boolean isKnownAfter(PastPlan plan, long judged) {
    return judged > plan.clock() + REOPENED_WITHIN;
  }

  public ReceivedViolation with(Command.Outcome newOutcome, String by) {
    return new ReceivedViolation(
        violation, latest, receivedMicros, replayed, newOutcome, by, phantom, ended);
  }

  public ReceivedViolation asPhantom() {
    return new ReceivedViolation(
        violation, latest, receivedMicros, replayed, outcome, outcomeBy, true, ended);
  }
}
