package io.palinode.orchestrator;

import io.palinode.hvc.Grade;
import io.palinode.orchestrator.plan.PastPlan;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.plan.ServingNodes;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.policy.RollbackSettings;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.request.RollbackRequest;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.state.Unwritten;
import io.palinode.orchestrator.step.Admission;
import io.palinode.orchestrator.step.AffectedScope;
import io.palinode.orchestrator.step.CoverageSteps;
import io.palinode.orchestrator.step.GateAnswer;
import io.palinode.orchestrator.step.NextStep;
import io.palinode.orchestrator.step.OperatorSteps;
import io.palinode.orchestrator.step.Unreachable;
import io.palinode.orchestrator.step.WritableStep;
import io.palinode.orchestrator.violations.ApprovalRequest;
import io.palinode.orchestrator.violations.Coverage;
import io.palinode.orchestrator.violations.Demand;
import io.palinode.orchestrator.violations.FoundViolations;
import io.palinode.orchestrator.violations.Grades;
import io.palinode.orchestrator.violations.TouchedInstance;
import io.palinode.wire.plan.Phase;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.SafePoint;
import io.palinode.wire.v1.Violation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rollback protocol (design §8, steps 1 to 5; {@code control.proto} draws the steps).
 *
 * <p>The machine decides from its state, never from the last event. Each turn first adds the event
 * to the state, then asks {@link NextStep} for the record to append. A step counts only after it is
 * read back, and at most one is unread. After a replay of the three logs into {@link
 * MachineState#initial} and {@link Event.CaughtUp}, an orchestrator is in the state of the previous
 * one. It therefore does not write a step twice.
 *
 * <p><b>Which violations count.</b> Time and epoch decide, not ids, so repeats change nothing. A
 * violation is covered if a later plan restored a cut before its {@code violate}. A violation that
 * is not covered asks for a plan. Violations before the plan's first {@code Restore} move its
 * target back. Later ones are covered, since {@code Restore} waits for {@code Judged >= target}. If
 * the monitor breaks that promise, the next plan covers them.
 *
 * <p><b>The safe point</b> follows {@code Judged} while no plan is open and no violation waits.
 * Coverage gaps hold it. Each target is at or after it: all later violations have {@code violate >
 * judged}, and the target is {@code violate - 1}. With {@code before-first-witness} the target is
 * {@code max(first - 1, safe point)}, because {@code first} of an open interval can be hours ago.
 * The safe point is before {@code violate}, so that plan still discards the violation. A clause
 * with {@code for} is violated that time after its terms began to hold together; its target is
 * right before they did. So while such a predicate rolls back, the safe point is that time behind.
 *
 * <p><b>By hand.</b> An operator may open a plan to any cut in reach, also before the safe point.
 * The plan includes waiting violations. Before its first {@code Restore} it may be cancelled. It
 * then keeps the data, and the epoch begins. To reinstate a plan is to restore the cut right before
 * it. All nodes have that cut, since they began to undo after one HLC.
 *
 * <p><b>A halted plan</b> waits for an operator's record. Retry and Abandon both return to the
 * pause; the next attempt restores again, or keeps the data. An abandoned plan discards no write.
 * Violations before it stand, its epoch begins with the present data, and the safe point waits for
 * an acknowledgement.
 *
 * <p><b>A coverage gap</b> is copied to the control log before any safe point that was decided
 * after it was read. An operator's acknowledgement is a record there too ({@link Coverage}). A gap
 * thus stays unacknowledged after a takeover, a restart, and the end of the violations log's
 * retention. A gap after the safe point holds it at {@code from_hlc - 1} until its acknowledgement,
 * or until {@code coverageHold} has passed without another gap.
 */
public final class RollbackMachine {
  private final List<Command> commands = new ArrayList<>();
  private MachineState state;
  private String user = "";

  private RollbackMachine(MachineState state) {
    this.state = state;
  }

  /** Pure. O(nodes), except the check of a cut, which is O(terms that hold). */
  public static Step step(MachineState state, Event event) {
    RollbackMachine turn = new RollbackMachine(state.at(event.atMicros()));
    turn.read(event);
    if (turn.state.live()) {
      turn.decide();
    }
    return new Step(turn.state, turn.commands);
  }

  private void read(Event event) {
    if (event instanceof Event.ByUser e) {
      user = e.user();
      read(e.wanted());
    } else if (event instanceof Event.ControlRead e) {
      controlRead(e.record());
    } else if (event instanceof Event.ViolationFound e) {
      violationFound(e.violation());
    } else if (event instanceof Event.Judged e) {
      judged(e.hlc());
    } else if (event instanceof Event.CoverageLost e) {
      coverageLost(e.loss());
    } else if (event instanceof Event.CoverageAcknowledged e) {
      operatorWants(() -> CoverageSteps.acknowledging(state, e.toNumber()));
    } else if (event instanceof Event.InterventionWanted e) {
      operatorWants(() -> OperatorSteps.of(state, e.epoch(), e.intervention()));
    } else if (event instanceof Event.EndAsIsWanted e) {
      operatorWants(() -> OperatorSteps.endingAsIs(state, e.epoch(), e.stopped()));
    } else if (event instanceof Event.RollbackWanted e) {
      operatorWants(() -> NextStep.onRequest(state, e.request()));
    } else if (event instanceof Event.CancelWanted e) {
      operatorWants(() -> OperatorSteps.cancelling(state, e.epoch()));
    } else if (event instanceof Event.ApprovalAnswered e) {
      operatorWants(() -> GateAnswer.answering(state, e.number(), e.approve()));
    } else if (event instanceof Event.RenewalWanted e) {
      operatorWants(() -> GateAnswer.renewing(state, e.predicate()));
    } else if (event instanceof Event.PoliciesKnown e) {
      state = state.with(e.policies());
    } else if (event instanceof Event.PolicyChanged e) {
      policyChanged(e.policy());
    } else if (event instanceof Event.CaughtUp) {
      caughtUp();
    } else if (event instanceof Event.AppendFailed e) {
      appendFailed(e);
    }
  }

  private void controlRead(ControlRecord record) {
    ControlLogState before = state.log();
    ControlLogState after = before.read(record);
    boolean counts = !after.equals(before);
    state = state.with(state.outbox().read(record, counts));
    if (!counts) {
      return;
    }
    state = state.with(after);
    if (record.hasSnapshot()) {
      // No plan depends on it now; later plans may.
      return;
    }
    if (record.hasCoverage()) {
      state = state.with(state.found().withoutRecorded(after.coverage()::holds));
      return;
    }
    commands.add(new Command.Took(record));
    FoundViolations left = state.found().withoutPassed(state.log().safePoint());
    state = state.with(left.withoutDemands(this::isCovered));
    if (record.hasResume() || record.hasGate() || !state.found().equals(left)) {
      commands.add(new Command.Review());
    }
    if (state.live()) {
      ControlAlerts.after(before, record, state).forEach(this::raise);
    }
  }

  private void judged(long hlc) {
    long before = state.found().judged();
    state = state.with(state.found().judgedTo(hlc));
    if (state.log().plans().past().stream()
        .anyMatch(
            plan ->
                !ReceivedViolation.isKnownAfter(plan, before)
                    && ReceivedViolation.isKnownAfter(plan, hlc))) {
      commands.add(new Command.Review());
    }
  }

  /** Appends an operator's record if it is possible now. The first of two in the log counts. */
  private void operatorWants(OperatorRecord operators) {
    if (!state.live() || !state.outbox().mayWrite(state.nowMicros())) {
      return;
    }
    try {
      ControlRecord wanted =
          WritableStep.bounded(operators.record().toBuilder().setBy(user).build());
      state = state.with(state.outbox().wrote(wanted, state.nowMicros()));
      commands.add(new Command.Append(wanted));
    } catch (RefusedException tooLate) {
      // It was possible when the operator asked; another record came first.
    }
  }

  /** The record of an operator's request; refused if it is not possible now. */
  @FunctionalInterface
  private interface OperatorRecord {
    ControlRecord record() throws RefusedException;
  }

  /**
   * Refuses unless {@link Event.RollbackWanted} is possible now. Ignores a step that is being
   * written.
   */
  public static void requirePossible(MachineState state, RollbackRequest request)
      throws RefusedException {
    ControlRecord unused = NextStep.onRequest(state, request);
  }

  /**
   * Why a plan opened now would undo all writes although the request names some; empty: it would
   * not. Nodes may have further reasons.
   *
   * @throws RefusedException if the target cannot be restored
   */
  public static String whyAll(MachineState state, RollbackRequest request) throws RefusedException {
    return AffectedScope.whyAll(state, request, request.target(state));
  }

  /** Refuses unless {@link Event.ApprovalAnswered} has an effect now. */
  public static void requireAnswerable(MachineState state, long number, boolean approve)
      throws RefusedException {
    ControlRecord unused = GateAnswer.answering(state, number, approve);
  }

  /** Whether the plan of the request has another way if its target is out of reach. */
  public static boolean hasWayOutOfReach(MachineState state, long number) {
    ApprovalRequest request = state.log().gates().request(number);
    return request != null && Unreachable.hasWay(state, request);
  }

  /** The alerts of coverage gaps that are not acknowledged, oldest first. */
  public static List<Alert> gapAlerts(MachineState state) {
    return state.log().coverage().latestUnacknowledged().stream()
        .map(gap -> Alerts.coverageLost(gap.loss(), state))
        .toList();
  }

  /** Refuses unless {@link Event.RenewalWanted} has an effect now. */
  public static void requireRenewable(MachineState state, String predicate)
      throws RefusedException {
    ControlRecord unused = GateAnswer.renewing(state, predicate);
  }

  /**
   * Refuses unless {@link Event.InterventionWanted} has an effect now.
   *
   * @throws RefusedException naming the reason
   */
  public static void requirePossible(MachineState state, long epoch, Intervention intervention)
      throws RefusedException {
    ControlRecord unused = OperatorSteps.of(state, epoch, intervention);
  }

  private void violationFound(Violation violation) {
    Policy policy = state.policies().get(violation.getPredicate());
    if (policy != null && policy.version() >= violation.getPredicateVersion()) {
      classify(violation, policy);
    } else if (isStale(violation)) {
      commands.add(new Command.Classified(violation, Command.Outcome.EXPIRED, null));
    } else {
      await(violation);
    }
  }

  private void await(Violation violation) {
    if (state.found().waiting().size() >= FoundViolations.WAITING_MAX) {
      expire(violation);
      return;
    }
    commands.add(new Command.Classified(violation, Command.Outcome.WAITING, null));
    state =
        state.with(
            state.found().waitingFor(new FoundViolations.Waiting(violation, state.nowMicros())));
  }

  private void expire(Violation violation) {
    commands.add(new Command.Classified(violation, Command.Outcome.EXPIRED, null));
    raise(Alerts.predicateUnknown(violation, state.nowMicros()));
  }

  private void classify(Violation violation, Policy policy) {
    Grade grade = Grades.of(violation.getGrade());
    Command.Outcome outcome = Outcomes.first(state, violation, policy);
    Alert alert =
        policy.alerts(grade) && !isStale(violation)
            ? Alerts.violation(violation, policy, outcome)
            : null;
    commands.add(new Command.Classified(violation, outcome, alert));
    if (outcome == Command.Outcome.ROLLBACK) {
      state = state.with(state.found().demanding(demand(violation, policy)));
    } else if (outcome == Command.Outcome.TOO_LATE && state.live()) {
      raise(Alerts.tooLate(violation, state.safePoint(), state.nowMicros()));
    }
  }

  private Demand demand(Violation violation, Policy policy) {
    long since = policy.heldSince(violation);
    long from = policy.goesBeforeFirstWitness() ? violation.getFirst() : since;
    // What counts is known from its violate on, and the safe point is before that.
    long target =
        from < violation.getViolate()
            ? Math.max(from - 1, state.safePoint())
            : violation.getViolate() - 1;
    return new Demand(
        violation.getEpoch(),
        violation.getPredicate(),
        policy.rollsBackSince(),
        List.of(violation.getId()),
        violation.getViolate(),
        violation.getViolate(),
        target,
        TouchedInstance.in(violation).stream().toList(),
        Demand.witnesses(violation));
  }

  /** Whether an earlier orchestrator has handled it, so that it is not alerted again. */
  private boolean isStale(Violation violation) {
    return violation.getViolate() <= state.safePoint()
        || state.log().plans().isSettled(violation.getEpoch(), violation.getViolate());
  }

  private boolean isCovered(Demand demand) {
    return isCovered(demand.epoch(), demand.violate())
        || state.log().gates().lets(demand)
        || Admission.asksForNothing(state, demand);
  }

  private boolean isCovered(long epoch, long violate) {
    return state.log().plans().isSettled(epoch, violate)
        || state.log().plans().isBeingDiscarded(epoch, violate);
  }

  private void coverageLost(CoverageLost loss) {
    state = state.with(state.found().losing(loss));
    if (CoverageSteps.isRecorded(state, loss)) {
      return;
    }
    state = state.with(state.found().withUnrecorded(loss));
    if (state.live()) {
      alertGap(loss);
    }
  }

  private void alertGap(CoverageLost loss) {
    raise(Alerts.coverageLost(loss, state));
  }

  private void policyChanged(Policy policy) {
    state = state.with(policy);
    state = state.with(state.found().withoutDemands(this::isCovered));
    commands.add(new Command.Review());
    List<FoundViolations.Waiting> known =
        state.found().waiting().stream()
            .filter(w -> w.violation().getPredicate().equals(policy.predicate()))
            .filter(w -> w.violation().getPredicateVersion() <= policy.version())
            .toList();
    state = state.with(state.found().withoutWaiting(known::contains));
    known.forEach(w -> classify(w.violation(), policy));
  }

  private void caughtUp() {
    state = state.goLive();
    Plan plan = state.log().plan();
    if (plan != null && plan.phase() == Phase.HALTED) {
      raise(Alerts.planHalted(plan, state.nowMicros()));
    }
    state.found().unrecorded().stream()
        .limit(CoverageSteps.GAPS_PER_RECORD_MAX)
        .forEach(this::alertGap);
    // The previous orchestrator may have ended before it alerted.
    state.log().gates().requests().stream()
        .map(request -> Alerts.approvalNeeded(request, state.nowMicros()))
        .forEach(this::raise);
  }

  private void appendFailed(Event.AppendFailed failed) {
    state =
        state.with(
            state
                .outbox()
                .failed(failed.record(), failed.failure(), failed.reason(), state.nowMicros()));
    Unwritten unwritten = state.outbox().unwritten();
    if (unwritten != null && unwritten.isAlerted(state.nowMicros())) {
      raise(Alerts.controlWriteFailed(unwritten, state.nowMicros()));
    }
  }

  /** Alerts an abandoned plan once. The control log holds which plan was alerted. */
  private void alertAbandoned() {
    PastPlan plan = state.abandoned();
    long reported = Math.max(state.found().reportedEpoch(), state.log().coverage().reportedEpoch());
    if (plan != null && plan.epoch() > reported) {
      state = state.with(state.found().reported(plan.epoch()));
      raise(Alerts.planAbandoned(plan, state.safePoint(), state.nowMicros()));
    }
  }

  private void raise(Alert alert) {
    commands.add(new Command.Raise(alert));
  }

  private void decide() {
    expireWaiting();
    alertStall();
    alertAbandoned();
    if (state.outbox().mayWrite(state.nowMicros())) {
      ControlRecord gaps = CoverageSteps.next(state);
      ControlRecord next = gaps == null ? WritableStep.next(state) : gaps;
      if (next == null) {
        state = state.with(state.outbox().withNothingDue());
      } else {
        state = state.with(state.outbox().wrote(next, state.nowMicros()));
        commands.add(new Command.Append(next));
      }
    }
    publishSafePoint();
  }

  private void expireWaiting() {
    long before = state.nowMicros() - RollbackSettings.micros(state.settings().policyWait());
    List<FoundViolations.Waiting> expired =
        state.found().waiting().stream().filter(w -> w.sinceMicros() < before).toList();
    if (!expired.isEmpty()) {
      state = state.with(state.found().withoutWaiting(expired::contains));
      expired.forEach(w -> expire(w.violation()));
    }
  }

  private void alertStall() {
    Plan plan = state.log().plan();
    if (plan == null) {
      alertNotServing();
      return;
    }
    if (plan.phase() == Phase.HALTED) {
      return;
    }
    long since = Math.max(plan.sinceMicros(), state.stallAlertMicros());
    if (state.nowMicros() - since > RollbackSettings.micros(state.settings().nodeWait())) {
      state = state.stallAlerted();
      raise(Alerts.planWaits(state, plan));
    }
  }

  private void alertNotServing() {
    ServingNodes serving = state.log().plans().serving();
    long since = Math.max(serving.resumedMicros(), state.stallAlertMicros());
    boolean isDue =
        state.nowMicros() - since > RollbackSettings.micros(state.settings().nodeWait());
    if (isDue && !serving.missing().isEmpty()) {
      state = state.stallAlerted();
      raise(Alerts.resumeWaits(serving, state.nowMicros()));
    }
  }

  private void publishSafePoint() {
    long hlc = nextSafePoint();
    long since = state.nowMicros() - state.outbox().safePointMicros();
    boolean due = since >= RollbackSettings.micros(state.settings().safePointEvery());
    if (hlc > state.safePoint() && due) {
      state = state.with(state.outbox().wroteSafePoint(hlc, state.nowMicros()));
      commands.add(new Command.Append(safePoint(hlc)));
    }
  }

  /** The next safe point; 0 while a plan, a violation or a request waits. */
  private long nextSafePoint() {
    boolean quiet =
        state.log().plan() == null
            && state.outbox().awaited() == null
            && state.found().isSettled()
            && state.found().unrecorded().isEmpty()
            // Also if this run does not know the violations of the request.
            && state.log().gates().requests().isEmpty();
    // A rollback of a violation that is judged later may go back by so much.
    long goesBack =
        state.policies().values().stream().mapToLong(Policy::goesBackAtMost).max().orElse(0);
    return quiet ? Math.min(state.found().judged() - goesBack, state.heldAt()) : 0;
  }

  private ControlRecord safePoint(long hlc) {
    return ControlRecord.newBuilder()
        .setEpoch(state.log().epoch())
        .setAtMicros(state.nowMicros())
        .setSafePoint(SafePoint.newBuilder().setHlc(hlc))
        .build();
  }

  /** The phase of the open plan; or null. */
  public static @Nullable Phase phase(MachineState state) {
    Plan plan = state.log().plan();
    return plan == null ? null : plan.phase();
  }
}
