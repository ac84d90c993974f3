package io.palinode.orchestrator;

import io.palinode.hvc.Grade;
import io.palinode.hvc.Hlc;
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
 */
public record ReceivedViolation(
    Violation violation,
    Violation latest,
    long receivedMicros,
    boolean replayed,
    Command.@Nullable Outcome outcome,
    String outcomeBy,
    boolean phantom) {

  public static ReceivedViolation first(Violation violation, long atMicros, boolean replayed) {
    return new ReceivedViolation(violation, violation, atMicros, replayed, null, "", false);
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
          report, report, atMicros, isReplayed, outcome, outcomeBy, phantom);
    }
    Violation newest =
        grade().atLeast(Grades.of(report.getGrade()))
            ? report.toBuilder().setGrade(latest.getGrade()).build()
            : report;
    return new ReceivedViolation(
        violation, newest, receivedMicros, replayed, outcome, outcomeBy, phantom);
  }

  public ReceivedViolation with(Command.Outcome newOutcome, String by) {
    return new ReceivedViolation(
        violation, latest, receivedMicros, replayed, newOutcome, by, phantom);
  }

  public ReceivedViolation asPhantom() {
    return new ReceivedViolation(
        violation, latest, receivedMicros, replayed, outcome, outcomeBy, true);
  }
}
