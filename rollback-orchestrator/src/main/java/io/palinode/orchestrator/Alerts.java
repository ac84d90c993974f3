package io.palinode.orchestrator;

import io.palinode.hvc.Hlc;
import io.palinode.hvc.PointInTime;
import io.palinode.orchestrator.plan.PastPlan;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.plan.ServingNodes;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.state.Unwritten;
import io.palinode.orchestrator.violations.ApprovalRequest;
import io.palinode.orchestrator.violations.Coverage;
import io.palinode.orchestrator.violations.Grades;
import io.palinode.orchestrator.violations.SequentialSpan;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.LetStand;
import io.palinode.wire.v1.Violation;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The alerts of the machine and their texts. */
final class Alerts {
  private Alerts() {}

  static Alert violation(Violation violation, Policy policy, Command.Outcome outcome) {
    return ofViolation(violation, policy)
        .annotated("outcome", outcome.name())
        .annotated("summary", "predicate " + violation.getPredicate() + " was violated");
  }

  /** With the labels of the violation's first alert. */
  static Alert outcomeChanged(OutcomeChange change, Policy policy) {
    Violation violation = change.violation().violation();
    String outcome = String.valueOf(change.violation().outcome());
    return ofViolation(violation, policy)
        .annotated("outcome", outcome)
        .annotated("outcomeBefore", change.before().name())
        .annotated(
            "summary",
            "predicate %s was violated: the outcome is now %s, no longer %s"
                .formatted(violation.getPredicate(), outcome, change.before()));
  }

  static Alert tooLate(Violation violation, long safePoint, long nowMicros) {
    return Alert.toOperator(
        Alert.Kind.VIOLATION_TOO_LATE,
        labels(violation),
        "a violation at "
            + PointInTime.format(violation.getViolate())
            + " came after the safe point "
            + PointInTime.format(safePoint)
            + " had passed it, and is not rolled back: id="
            + violation.getId(),
        nowMicros);
  }

  static Alert predicateUnknown(Violation violation, long nowMicros) {
    return Alert.toOperator(
        Alert.Kind.PREDICATE_UNKNOWN,
        labels(violation),
        "a violation was dropped because its predicate is not known here: version="
            + violation.getPredicateVersion()
            + " id="
            + violation.getId(),
        nowMicros);
  }

  static Alert planWaits(MachineState state, Plan plan) {
    return Alert.toOperator(
        Alert.Kind.PLAN_WAITS,
        Map.of("epoch", Long.toString(plan.epoch()), "phase", plan.phase().name()),
        "the rollback waits for " + waitsFor(state, plan),
        state.nowMicros());
  }

  private static String waitsFor(MachineState state, Plan plan) {
    if (state.outbox().awaited() != null) {
      return "the control log to take " + state.outbox().awaited().getStepCase();
    }
    List<Integer> missing = plan.missing(state.settings().nodes());
    return missing.isEmpty() ? "the monitor to judge up to the target" : "nodes " + missing;
  }

  static Alert resumeWaits(ServingNodes serving, long nowMicros) {
    return Alert.toOperator(
        Alert.Kind.PLAN_WAITS,
        Map.of("epoch", Long.toString(serving.epoch()), "phase", Rollback.State.RESUMING.name()),
        "the rollback has ended, and nodes %s do not serve its epoch yet"
            .formatted(serving.missing()),
        nowMicros);
  }

  static Alert planHalted(Plan plan, long nowMicros) {
    return Alert.toOperator(
        Alert.Kind.PLAN_HALTED,
        Map.of("epoch", Long.toString(plan.epoch()), "predicate", plan.predicate()),
        "the rollback is halted and the nodes stay paused until it is retried or abandoned: "
            + plan.failure(),
        nowMicros);
  }

  static Alert planAbandoned(PastPlan plan, long safePoint, long nowMicros) {
    return Alert.toOperator(
        Alert.Kind.PLAN_ABANDONED,
        Map.of("epoch", Long.toString(plan.epoch()), "predicate", plan.predicate()),
        "the rollback to "
            + PointInTime.format(plan.target())
            + " was abandoned: that cut is not restored, no cut before "
            + PointInTime.format(plan.clock())
            + " can be restored, and the safe point is held at "
            + PointInTime.format(safePoint)
            + " until an operator acknowledges this"
            + (plan.asIs() ? "; each node kept the data that it had, so replicas may differ" : ""),
        nowMicros);
  }

  static Alert approvalNeeded(ApprovalRequest request, long nowMicros) {
    return Alert.toOperator(
        Alert.Kind.APPROVAL_NEEDED,
        Map.of("predicate", request.predicate(), "request", Long.toString(request.number())),
        "a rollback to %s waits for approval, and the safe point with it: 'palinode rollback approve %d' or 'reject %d'"
            .formatted(PointInTime.format(request.target()), request.number(), request.number()),
        nowMicros);
  }

  static Alert approvalGivenUp(ApprovalRequest request, PastPlan ended, long nowMicros) {
    return Alert.toOperator(
        Alert.Kind.APPROVAL_GIVEN_UP,
        Map.of("predicate", request.predicate(), "request", Long.toString(request.number())),
        "approval request %d is closed: rollback %d %s, so no cut before it can be restored, and its violations stand"
            .formatted(
                request.number(),
                ended.epoch(),
                ended.abandoned() ? "was abandoned" : "ended in a restart"),
        nowMicros);
  }

  static Alert budgetSpent(LetStand stands, long nowMicros) {
    return Alert.toOperator(
        Alert.Kind.BUDGET_SPENT,
        Map.of("predicate", stands.getPredicate()),
        "the budget of rollbacks is spent: violations from %s on stand, for another %d s or until 'palinode rollback renew %s'"
            .formatted(
                PointInTime.format(stands.getFromHlc()),
                Math.max(0, Hlc.micros(stands.getToHlc()) - nowMicros) / 1_000_000,
                stands.getPredicate()),
        nowMicros);
  }

  static Alert stands(LetStand stands, long nowMicros) {
    int named = stands.getBindingsCount();
    return Alert.toOperator(
        Alert.Kind.VIOLATION_STANDS,
        Map.of("predicate", stands.getPredicate()),
        "%s held at %s, the earliest cut that a rollback may restore; it stands until a write ends it"
            .formatted(
                named == 0 ? "the predicate" : named == 1 ? "an instance" : named + " instances",
                PointInTime.format(stands.getFromHlc())),
        nowMicros);
  }

  /** {@code entered}: the spans that are newly in force. */
  static Alert sequential(List<SequentialSpan> entered, long nowMicros) {
    boolean all = entered.stream().anyMatch(SequentialSpan::isAll);
    long keys = entered.stream().mapToLong(span -> span.keys().size()).sum();
    long hold = entered.stream().mapToLong(SequentialSpan::holdMicros).max().orElse(0);
    return Alert.toOperator(
        Alert.Kind.ROLLBACKS_FREQUENT,
        Map.of("predicate", entered.get(0).predicate()),
        "rollbacks are frequent: clients use %s with R + W > N until %d ms have passed without one"
            .formatted(
                all ? "all keys" : "%d keys of %d instances".formatted(keys, entered.size()),
                hold / 1_000),
        nowMicros);
  }

  static Alert planRestarted(PastPlan plan, long nowMicros) {
    return Alert.toOperator(
        Alert.Kind.PLAN_RESTARTED,
        Map.of("epoch", Long.toString(plan.epoch()), "predicate", plan.predicate()),
        "the rollback to "
            + PointInTime.format(plan.target())
            + " could not be carried out: nodes kept their data, and programs were restarted",
        nowMicros);
  }

  static Alert coverageLost(CoverageLost loss, MachineState state) {
    long safePoint = state.safePoint();
    long before = Math.max(safePoint, Math.min(state.heldAt(), loss.getFromHlc() - 1));
    String consequence =
        Coverage.end(loss) <= safePoint
            ? "the safe point %s had passed it and is not held"
                .formatted(PointInTime.format(safePoint))
            : "the safe point is held at %s until the gap is acknowledged, at most %d s"
                .formatted(PointInTime.format(before), state.settings().coverageHold().toSeconds());
    return coverageLost(loss, consequence, state.nowMicros());
  }

  private static Alert coverageLost(CoverageLost loss, String consequence, long nowMicros) {
    String partition = Integer.toString(loss.getPartition());
    return Alert.toOperator(
        Alert.Kind.COVERAGE_LOST,
        loss.hasNode()
            ? Map.of("node", Integer.toString(loss.getNode()), "partition", partition)
            : Map.of("partition", partition),
        "%s not judged; %s".formatted(lost(loss), consequence),
        nowMicros);
  }

  private static String lost(CoverageLost loss) {
    if (!loss.getCause().isEmpty()) {
      String since =
          loss.getFromHlc() == 0 ? "" : "from " + PointInTime.format(loss.getFromHlc()) + " ";
      String end =
          loss.getToHlc() == 0
              ? "are"
              : "up to %s were".formatted(PointInTime.format(loss.getToHlc()));
      return "%s: some events %s%s".formatted(loss.getCause(), since, end);
    }
    boolean wasKilled = loss.getLastSequence() == 0;
    return wasKilled
        ? "the node was killed: some events from %s to %s may be"
            .formatted(PointInTime.format(loss.getFromHlc()), PointInTime.format(loss.getToHlc()))
        : "events %d to %d were".formatted(loss.getFirstSequence(), loss.getLastSequence());
  }

  static Alert controlWriteFailed(Unwritten unwritten, long nowMicros) {
    return Alert.toOperator(
        Alert.Kind.CONTROL_WRITE_FAILED,
        Map.of("step", unwritten.step().getStepCase().name()),
        unwritten.text(nowMicros),
        nowMicros);
  }

  /** Starts with the violation, not with its receipt: a successor starts it at the same time. */
  private static Alert ofViolation(Violation violation, Policy policy) {
    Map<String, String> annotations =
        Map.of(
            "id", violation.getId(),
            "epoch", Long.toString(violation.getEpoch()),
            "grade", Grades.of(violation.getGrade()).name().toLowerCase(Locale.ROOT),
            "first", PointInTime.format(violation.getFirst()),
            "violate", PointInTime.format(violation.getViolate()));
    return new Alert(
        Alert.Kind.VIOLATION,
        labels(violation),
        annotations,
        policy.destinations(),
        Hlc.micros(violation.getViolate()));
  }

  /** Neither grade nor epoch: both may change while the violation holds. */
  private static Map<String, String> labels(Violation violation) {
    return Map.of(
        "predicate", violation.getPredicate(),
        "binding", violation.getBinding(),
        "clause", Integer.toString(violation.getClause()));
  }
}
