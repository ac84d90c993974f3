package io.palinode.orchestrator;

import io.palinode.hvc.Grade;
import io.palinode.orchestrator.plan.PastPlan;
import io.palinode.orchestrator.plan.Phase;
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
import io.palinode.orchestrator.violations.SequentialSpan;
import io.palinode.orchestrator.violations.TouchedInstance;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.GateStep;
import io.palinode.wire.v1.SafePoint;
import io.palinode.wire.v1.Violation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rollback protocol (design §8, steps 1 to 5; the steps are drawn in {@code control.proto}).
 *
 * <p>The machine decides from its state and never from the event that brought it there: each step
 * first adds the event to what is known, then asks {@link NextStep} what is to be written. A step
 * of the protocol counts only when it is read back from the control log, and at most one is on its
 * way. So whoever replays the three logs into {@link MachineState#initial} and then says {@link
 * Event.CaughtUp} stands where the last one stood, and a step that is in the log is not written
 * again.
 *
 * <p><b>Which violations count.</b> Not their ids but time and epoch decide, so that repeats cannot
 * do harm: a violation of an epoch that a later plan took back to before {@code violate} is
 * covered. One that is not covered asks for a plan; those that come before the plan's {@code
 * Restore} move its target back. After it they are covered, since {@code Restore} waits for {@code
 * Judged >= target}; if the monitor broke that promise, the next plan takes them.
 *
 * <p><b>The safe point</b> is {@code Judged} while no plan is open and no violation waits, less
 * what lost coverage holds back. A target is at or after it: {@code Judged} says that all
 * violations that are found from now on have {@code violate > judged}, and the target is {@code
 * violate - 1}. {@code before-first-witness} cannot keep that: {@code first} of an interval that is
 * still open may be hours ago, and no safe point could ever be given while any interval is open. So
 * there the target is {@code max(first - 1, safe point)}: what was promised stands, and since the
 * safe point is before {@code violate}, the violation is still undone.
 *
 * <p><b>By hand.</b> An operator may open a plan, to any cut in reach, also to before the safe
 * point: that promise is kept by the machine, not by people. What violations ask for is folded into
 * it. Before its first {@code Restore} it may be cancelled: it then keeps what is there, and the
 * epoch begins with it. To undo a plan is to go back to the cut right before it, which all nodes
 * have, for they began to undo after one HLC.
 *
 * <p><b>A halted plan</b> waits for an operator's record: Retry and Abandon both lead back to the
 * pause, from where the next attempt restores again, or keeps what is there. An abandoned plan has
 * taken nothing back: the violations before it are given up, its epoch begins in the state that
 * there is, and the safe point stays where it is until the operator acknowledges that too.
 *
 * <p><b>A coverage gap</b> is copied to the control log before any safe point that was decided with
 * knowledge of it; the acknowledgement of an operator is a record there too ({@link Coverage}). So
 * a gap counts as unacknowledged after a takeover, a restart, and the end of the violations log's
 * retention. A gap that the safe point has not passed holds it at {@code from_hlc - 1} until it is
 * acknowledged, or until no further gap was found for {@code coverageHold}.
 */
public final class RollbackMachine {
  private final List<Command> commands = new ArrayList<>();
  private MachineState state;

  private RollbackMachine(MachineState state) {
    this.state = state;
  }

  /** Pure; O(nodes) but for the check of a cut, which is O(terms that hold). */
  public static Step step(MachineState state, Event event) {
    RollbackMachine turn = new RollbackMachine(state.at(event.atMicros()));
    turn.hear(event);
    if (turn.state.live()) {
      turn.decide();
    }
    return new Step(turn.state, turn.commands);
  }

  private void hear(Event event) {
    if (event instanceof Event.ControlRead e) {
      controlRead(e.record());
    } else if (event instanceof Event.ViolationFound e) {
      violationFound(e.violation());
    } else if (event instanceof Event.Judged e) {
      state = state.with(state.found().judgedTo(e.hlc()));
    } else if (event instanceof Event.CoverageLost e) {
      coverageLost(e.loss());
    } else if (event instanceof Event.CoverageAcknowledged e) {
      operatorWants(() -> CoverageSteps.acknowledging(state, e.toNumber()));
    } else if (event instanceof Event.OperatorSpoke e) {
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
      // Of no plan; it is known for those to come.
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
    if (record.hasHalted() && !record.getHalted().hasThen() && state.live()) {
      alertHalted();
    } else if (record.hasResume() && state.live()) {
      alertRestarted(record);
      PastPlan ended = state.log().pastPlan(record.getEpoch());
      if (ended != null) {
        alertGivenUp(before, ended);
      }
      alertSequential(record.getAtMicros());
    } else if (record.hasGate() && state.live()) {
      alertGate(record.getGate());
    }
  }

  /** Also two operators may speak at once: the first word that is in the log counts. */
  private void operatorWants(Word operators) {
    if (!state.live() || !state.outbox().mayWrite(state.nowMicros())) {
      return;
    }
    try {
      ControlRecord word = WritableStep.bounded(operators.record());
      state = state.with(state.outbox().wrote(word, state.nowMicros()));
      commands.add(new Command.Append(word));
    } catch (RefusedException tooLate) {
      // It was possible when the operator was told so, and is no more: someone else has spoken.
    }
  }

  /** An operator's word as a record, if it can be given now. */
  @FunctionalInterface
  private interface Word {
    ControlRecord record() throws RefusedException;
  }

  /** Likewise for {@link Event.RollbackWanted}, but for a write that is on its way. */
  public static void requirePossible(MachineState state, RollbackRequest wish)
      throws RefusedException {
    ControlRecord unused = NextStep.onRequest(state, wish);
  }

  /**
   * Why such a plan would undo everything if it were opened now, though only what came of some
   * writes is wished; empty: nothing but the nodes may want that.
   *
   * @throws RefusedException when there is nothing to go back to
   */
  public static String whyAll(MachineState state, RollbackRequest wish) throws RefusedException {
    return AffectedScope.whyAll(state, wish, wish.target(state));
  }

  /** Likewise for {@link Event.ApprovalAnswered}. */
  public static void requireAnswerable(MachineState state, long number, boolean approve)
      throws RefusedException {
    ControlRecord unused = GateAnswer.answering(state, number, approve);
  }

  /**
   * Whether the plan that the request would open has a way to go when its target is out of reach.
   */
  public static boolean goesOnOutOfReach(MachineState state, long number) {
    ApprovalRequest request = state.log().gates().request(number);
    return request != null && Unreachable.hasWay(state, request);
  }

  /** Likewise for {@link Event.RenewalWanted}. */
  public static void requireRenewable(MachineState state, String predicate)
      throws RefusedException {
    ControlRecord unused = GateAnswer.renewing(state, predicate);
  }

  /**
   * Whether {@link Event.OperatorSpoke} can do anything now.
   *
   * @throws RefusedException that says why not
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
      commands.add(new Command.Classified(violation, Command.Outcome.EXPIRED));
    } else {
      await(violation);
    }
  }

  private void await(Violation violation) {
    if (state.found().waiting().size() >= FoundViolations.WAITING_MAX) {
      expire(violation);
      return;
    }
    commands.add(new Command.Classified(violation, Command.Outcome.WAITING));
    state =
        state.with(
            state.found().waitingFor(new FoundViolations.Waiting(violation, state.nowMicros())));
  }

  private void expire(Violation violation) {
    commands.add(new Command.Classified(violation, Command.Outcome.EXPIRED));
    commands.add(new Command.Raise(Alerts.predicateUnknown(violation, state.nowMicros())));
  }

  private void classify(Violation violation, Policy policy) {
    Grade grade = Grades.of(violation.getGrade());
    boolean stale = isStale(violation);
    Command.Outcome outcome = Outcomes.first(state, violation, policy);
    commands.add(new Command.Classified(violation, outcome));
    if (policy.alerts(grade) && !stale) {
      commands.add(
          new Command.Raise(Alerts.violation(violation, policy, outcome, state.nowMicros())));
    }
    if (outcome == Command.Outcome.ROLLBACK) {
      state = state.with(state.found().demanding(demand(violation, policy)));
    } else if (outcome == Command.Outcome.TOO_LATE && state.live()) {
      commands.add(
          new Command.Raise(Alerts.tooLate(violation, state.safePoint(), state.nowMicros())));
    }
  }

  private Demand demand(Violation violation, Policy policy) {
    long target =
        policy.goesBeforeFirstWitness()
            ? Math.max(violation.getFirst() - 1, state.safePoint())
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

  /** Whoever was here before has dealt with it, so it is not alerted again after a restart. */
  private boolean isStale(Violation violation) {
    return violation.getViolate() <= state.safePoint()
        || state.log().isSettled(violation.getEpoch(), violation.getViolate());
  }

  private boolean isCovered(Demand demand) {
    return isCovered(demand.epoch(), demand.violate())
        || state.log().gates().lets(demand)
        || Admission.asksForNothing(state, demand);
  }

  private boolean isCovered(long epoch, long violate) {
    return state.log().isSettled(epoch, violate) || state.log().isBeingDiscarded(epoch, violate);
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
    commands.add(new Command.Raise(Alerts.coverageLost(loss, state)));
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
      alertHalted();
    }
    state.found().unrecorded().stream()
        .limit(CoverageSteps.GAPS_PER_RECORD_MAX)
        .forEach(this::alertGap);
    // The orchestrator before this one may have ended before it alerted.
    state.log().gates().requests().forEach(this::alertApproval);
  }

  private void appendFailed(Event.AppendFailed failed) {
    state =
        state.with(
            state
                .outbox()
                .failed(failed.record(), failed.failure(), failed.reason(), state.nowMicros()));
    Unwritten unwritten = state.outbox().unwritten();
    if (unwritten != null && unwritten.isAlerted(state.nowMicros())) {
      commands.add(new Command.Raise(Alerts.controlWriteFailed(unwritten, state.nowMicros())));
    }
  }

  private void alertHalted() {
    Plan plan = state.log().plan();
    if (plan != null) {
      commands.add(new Command.Raise(Alerts.planHalted(plan, state.nowMicros())));
    }
  }

  private void alertSequential(long sinceMicros) {
    List<SequentialSpan> entered =
        state.log().sequential().stream().filter(s -> s.sinceMicros() == sinceMicros).toList();
    if (!entered.isEmpty()) {
      commands.add(new Command.Raise(Alerts.sequential(entered, state.nowMicros())));
    }
  }

  private void alertGate(GateStep step) {
    if (step.hasAsked()) {
      ApprovalRequest request = state.log().gates().request(step.getAsked().getPredicate());
      if (request != null && request.askedMicros() == request.recordedMicros()) {
        alertApproval(request);
      }
    } else if (step.hasLetStand() && step.getLetStand().getHeld()) {
      commands.add(new Command.Raise(Alerts.stands(step.getLetStand(), state.nowMicros())));
    } else if (step.hasLetStand() && step.getLetStand().getRejects() == 0) {
      commands.add(new Command.Raise(Alerts.budgetSpent(step.getLetStand(), state.nowMicros())));
    }
  }

  private void alertApproval(ApprovalRequest request) {
    commands.add(new Command.Raise(Alerts.approvalNeeded(request, state.nowMicros())));
  }

  /** A plan that took nothing back leaves nothing to go back to: whoever waits has to know. */
  private void alertGivenUp(ControlLogState before, PastPlan ended) {
    if (!ended.keptAll()) {
      return;
    }
    List<ApprovalRequest> left = state.log().gates().requests();
    before.gates().requests().stream()
        .filter(request -> !left.contains(request))
        .forEach(
            request ->
                commands.add(
                    new Command.Raise(Alerts.approvalGivenUp(request, ended, state.nowMicros()))));
  }

  /** Once: the control log holds which plan was alerted. */
  private void alertAbandoned() {
    PastPlan plan = state.abandoned();
    long reported = Math.max(state.found().reportedEpoch(), state.log().coverage().reportedEpoch());
    if (plan != null && plan.epoch() > reported) {
      state = state.with(state.found().reported(plan.epoch()));
      commands.add(
          new Command.Raise(Alerts.planAbandoned(plan, state.safePoint(), state.nowMicros())));
    }
  }

  private void alertRestarted(ControlRecord record) {
    PastPlan plan = state.log().pastPlan(record.getEpoch());
    if (plan != null && plan.restarted()) {
      commands.add(new Command.Raise(Alerts.planRestarted(plan, state.nowMicros())));
    }
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
      commands.add(new Command.Raise(Alerts.planWaits(state, plan)));
    }
  }

  private void alertNotServing() {
    ServingNodes serving = state.log().serving();
    long since = Math.max(serving.resumedMicros(), state.stallAlertMicros());
    boolean isDue =
        state.nowMicros() - since > RollbackSettings.micros(state.settings().nodeWait());
    if (isDue && !serving.missing().isEmpty()) {
      state = state.stallAlerted();
      commands.add(new Command.Raise(Alerts.resumeWaits(serving, state.nowMicros())));
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

  /** Where the safe point may be; not above the last one while something waits. */
  private long nextSafePoint() {
    boolean quiet =
        state.log().plan() == null
            && state.outbox().awaited() == null
            && state.found().isSettled()
            && state.found().unrecorded().isEmpty()
            // Also when nobody here knows of the violations that it is about.
            && state.log().gates().requests().isEmpty();
    return quiet ? Math.min(state.found().judged(), state.heldAt()) : 0;
  }

  private ControlRecord safePoint(long hlc) {
    return ControlRecord.newBuilder()
        .setEpoch(state.log().epoch())
        .setAtMicros(state.nowMicros())
        .setSafePoint(SafePoint.newBuilder().setHlc(hlc))
        .build();
  }

  /** The phase of the open plan, or null. */
  public static @Nullable Phase phase(MachineState state) {
    Plan plan = state.log().plan();
    return plan == null ? null : plan.phase();
  }
}
