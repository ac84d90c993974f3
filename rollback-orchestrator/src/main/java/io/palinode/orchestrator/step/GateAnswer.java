package io.palinode.orchestrator.step;

import io.palinode.hvc.Hlc;
import io.palinode.hvc.PointInTime;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.plan.StandingViolations;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.state.Gates;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.violations.ApprovalRequest;
import io.palinode.orchestrator.violations.Demand;
import io.palinode.orchestrator.violations.TouchingRollback;
import io.palinode.wire.v1.ApprovalAsked;
import io.palinode.wire.v1.BudgetRenewed;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.GateStep;
import io.palinode.wire.v1.HeldNoMore;
import io.palinode.wire.v1.LetStand;
import io.palinode.wire.v1.PlanOpened;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The records with which the gate (ADR 0015) answers violations, and operators answer the gate.
 * Functions of the state alone.
 */
public final class GateAnswer {
  /** The limit of all bindings in one record; with more, the record covers all instances. */
  private static final int BINDINGS_CHARS_MAX = 64 << 10;

  /** The least time between two records of one approval request. */
  private static final long JOIN_MICROS = 1_000_000;

  /** That time grows to this part of the request's age, as the log keeps all records. */
  private static final long JOIN_PART = 10;

  private GateAnswer() {}

  /** The record for violations that may open no plan by themselves; null: none now. */
  static @Nullable ControlRecord toViolations(MachineState state) {
    long epoch = state.log().epoch();
    for (Demand demand : state.found().demandsBefore(epoch + 1).toList()) {
      GateStep step =
          switch (Admission.of(state, demand)) {
            case OVER_BUDGET -> overBudget(state, demand);
            case NEEDS_APPROVAL -> asking(state, demand);
            case FREE -> null;
          };
      if (step != null) {
        return atEpoch(state, step);
      }
    }
    return null;
  }

  private static GateStep overBudget(MachineState state, Demand demand) {
    Policy policy = Objects.requireNonNull(state.policies().get(demand.predicate()));
    long roomAt =
        Admission.roomAtMicros(state, demand.predicate(), Objects.requireNonNull(policy.budget()));
    return GateStep.newBuilder()
        .setLetStand(
            LetStand.newBuilder()
                .setPredicate(demand.predicate())
                .setFromHlc(demand.violate())
                .setToHlc(Math.max(demand.last(), Hlc.ofMicros(roomAt))))
        .build();
  }

  /** A new request, or an addition to one; null: the request is complete, or was just extended. */
  private static @Nullable GateStep asking(MachineState state, Demand demand) {
    Gates gates = state.log().gates();
    ApprovalRequest known = gates.request(demand.predicate());
    if (known != null && (known.includes(demand) || isEarly(state.nowMicros(), known, demand))) {
      return null;
    }
    return GateStep.newBuilder()
        .setAsked(
            ApprovalAsked.newBuilder()
                .setNumber(known == null ? gates.lastNumber() + 1 : known.number())
                .setPredicate(demand.predicate())
                .addAllViolationIds(demand.ids())
                .setTarget(demand.target())
                .setViolate(demand.violate())
                .setLast(demand.last())
                .addAllTouched(TouchingRollback.bounded(demand.touches().stream())))
        .build();
  }

  private static boolean isEarly(long nowMicros, ApprovalRequest known, Demand demand) {
    boolean goesFurtherBack =
        demand.target() < known.target() || demand.violate() < known.violate();
    long pause =
        goesFurtherBack
            ? JOIN_MICROS
            : Math.max(JOIN_MICROS, (nowMicros - known.askedMicros()) / JOIN_PART);
    return nowMicros - known.recordedMicros() < pause;
  }

  /**
   * The record that instances on the plan's final cut stand, for the first one's predicate. Once it
   * is read, the check of the cut continues without them.
   */
  static ControlRecord lettingStand(
      MachineState state, Plan plan, List<CutCheck.Instance> violated) {
    String predicate = violated.get(0).predicate();
    List<String> bindings =
        violated.stream()
            .filter(instance -> instance.predicate().equals(predicate))
            .map(CutCheck.Instance::binding)
            .distinct()
            .toList();
    boolean areNamed = bindings.stream().mapToInt(String::length).sum() <= BINDINGS_CHARS_MAX;
    LetStand stands =
        LetStand.newBuilder()
            .setPredicate(predicate)
            .setFromHlc(plan.isKept() ? plan.clock() : plan.target())
            .setToHlc(plan.isKept() ? plan.clock() : plan.target())
            .setHeld(true)
            .addAllBindings(areNamed ? bindings : List.of())
            .build();
    return atEpoch(state, GateStep.newBuilder().setLetStand(stands).build());
  }

  /**
   * The record that some {@code held} instances no longer hold on the plan's final cut; null: none.
   * It needs a cut after the one on which they stood, and detectors that evaluate the current
   * predicate.
   */
  static @Nullable ControlRecord holdingNoMore(MachineState state, Plan plan) {
    List<StandingViolations> held =
        state.log().gates().standing().stream()
            .filter(stood -> stood.held() && plan.heldBefore() < stood.toHlc())
            .toList();
    if (held.isEmpty()) {
      return null;
    }
    Map<String, Set<String>> violated =
        CutCheck.holding(plan.holding(), plan.target(), state.policies()).stream()
            .collect(
                Collectors.groupingBy(
                    CutCheck.Instance::predicate,
                    Collectors.mapping(CutCheck.Instance::binding, Collectors.toSet())));
    for (StandingViolations stood : held) {
      Set<String> still = violated.getOrDefault(stood.predicate(), Set.of());
      boolean isAnyOver =
          stood.bindings().isEmpty() ? still.isEmpty() : !still.containsAll(stood.bindings());
      if (isAnyOver && isSeen(state, plan, stood)) {
        HeldNoMore ended =
            HeldNoMore.newBuilder()
                .setPredicate(stood.predicate())
                .addAllBindings(
                    stood.bindings().stream().filter(b -> !still.contains(b)).sorted().toList())
                .setBefore(plan.heldBefore())
                .build();
        return atEpoch(state, GateStep.newBuilder().setHeldNoMore(ended).build());
      }
    }
    return null;
  }

  private static boolean isSeen(MachineState state, Plan plan, StandingViolations stood) {
    Policy policy = state.policies().get(stood.predicate());
    return policy != null
        && policy.rollsBack()
        && policy.sinceMicros() > 0
        && !policy.mayBeOlder(plan.clock())
        && plan.heldBefore() > stood.fromHlc();
  }

  private static ControlRecord atEpoch(MachineState state, GateStep step) {
    return ControlRecord.newBuilder()
        .setEpoch(state.log().epoch())
        .setAtMicros(state.nowMicros())
        .setGate(step)
        .build();
  }

  /**
   * The record that answers a request for approval: a plan, or that its violations stand.
   *
   * @throws RefusedException if there is no such request; of an approval, also if a plan is open or
   *     the safe point has passed all its violations
   */
  public static ControlRecord answering(MachineState state, long number, boolean approve)
      throws RefusedException {
    ApprovalRequest request = state.log().gates().request(number);
    if (request == null) {
      throw new RefusedException("no rollback %d waits for approval".formatted(number));
    }
    Demand waiting = waiting(state, request);
    if (!approve) {
      LetStand stand =
          LetStand.newBuilder()
              .setPredicate(request.predicate())
              .setFromHlc(waiting.violate())
              .setToHlc(waiting.last())
              .setRejects(number)
              .build();
      return atEpoch(state, GateStep.newBuilder().setLetStand(stand).build());
    }
    Plan open = state.log().plan();
    if (open != null) {
      throw new RefusedException("rollback %d is under way: one at a time".formatted(open.epoch()));
    }
    if (waiting.last() <= state.log().safePoint()) {
      // Another orchestrator's safe point can overtake a request.
      throw new RefusedException(
          "cannot approve rollback %d: the safe point has passed its violations; reject it"
              .formatted(number));
    }
    PlanOpened opened =
        PlanOpened.newBuilder()
            .addAllViolationIds(waiting.ids())
            .setPredicate(request.predicate())
            .setTarget(waiting.target())
            .setReason("violation at " + PointInTime.format(waiting.violate()) + ", approved")
            .setApproves(number)
            .addAllTouched(TouchingRollback.bounded(waiting.touches().stream()))
            .build();
    return ControlRecord.newBuilder()
        .setEpoch(state.log().epoch() + 1)
        .setAtMicros(state.nowMicros())
        .setPlanOpened(opened)
        .build();
  }

  /** The violations that a request covers now. */
  static Demand waiting(MachineState state, ApprovalRequest request) {
    return state
        .found()
        .demandsBefore(state.log().epoch() + 1)
        .filter(demand -> demand.predicate().equals(request.predicate()))
        .reduce(request.demand(), Demand::fold);
  }

  /**
   * The record that renews a budget.
   *
   * @throws RefusedException if the predicate has no budget
   */
  public static ControlRecord renewing(MachineState state, String predicate)
      throws RefusedException {
    Policy policy = state.policies().get(predicate);
    if (policy == null || policy.budget() == null) {
      throw new RefusedException("predicate '%s' has no budget of rollbacks".formatted(predicate));
    }
    return atEpoch(
        state,
        GateStep.newBuilder()
            .setRenewed(BudgetRenewed.newBuilder().setPredicate(predicate))
            .build());
  }
}
