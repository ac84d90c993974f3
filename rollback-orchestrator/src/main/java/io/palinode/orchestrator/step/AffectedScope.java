package io.palinode.orchestrator.step;

import io.palinode.hvc.Grade;
import io.palinode.hvc.PointInTime;
import io.palinode.orchestrator.plan.PastPlan;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.request.RollbackRequest;
import io.palinode.orchestrator.request.Seeds;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.violations.Demand;
import io.palinode.predicate.OnViolation;
import io.palinode.wire.v1.Moment;
import io.palinode.wire.v1.Scope;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Whether a plan undoes only writes that depend on its witnesses (ADR 0020). Decided from the plan,
 * its violations and the policies alone, once all nodes are paused and judgement has passed their
 * pause. An operator's plan has its own witnesses; those of later violations are added.
 *
 * @param scope the question to nodes; null: all writes after the target are undone
 * @param why why all writes are undone although the violations ask for less; empty: they do not
 */
public record AffectedScope(@Nullable Scope scope, String why) {
  private static final String TOO_MANY_WITNESSES =
      "there are more than %d witnesses".formatted(Demand.WITNESSES_MAX);
  private static final AffectedScope UNWANTED = new AffectedScope(null, "");

  /** Whether an operator, or every known violation of the plan, asks for it. */
  static boolean isWanted(MachineState state, Plan plan) {
    if (plan.attempt() > 0) {
      return false;
    }
    if (plan.operator().isByHand()) {
      return plan.operator().isOfSome();
    }
    List<Demand> admitted = Admission.admitted(state, plan);
    return !admitted.isEmpty()
        && admitted.stream().allMatch(demand -> wantsAffected(state, demand.predicate()));
  }

  private static boolean wantsAffected(MachineState state, String predicate) {
    Policy policy = state.policies().get(predicate);
    OnViolation action = policy == null ? null : policy.onViolation();
    return action != null && action.rollbacks().scope() == OnViolation.RollbackScope.AFFECTED;
  }

  /** The decision when all nodes are paused and everything up to their pause is judged. */
  static AffectedScope of(MachineState state, Plan plan, long target) {
    if (!isWanted(state, plan)) {
      return UNWANTED;
    }
    String why = whyAll(state, plan, target);
    if (why != null) {
      return new AffectedScope(null, why);
    }
    Stream<Moment> found =
        Admission.admitted(state, plan).stream().flatMap(demand -> demand.witnesses().stream());
    return new AffectedScope(
        Seeds.scope(target, Stream.concat(plan.operator().witnesses().stream(), found)), "");
  }

  /**
   * Why an operator's plan opened now could not undo only these writes; empty: it could. Nodes may
   * have further reasons.
   */
  public static String whyAll(MachineState state, RollbackRequest request, long target) {
    if (request.seeds().witnesses().size() > Demand.WITNESSES_MAX) {
      return TOO_MANY_WITNESSES;
    }
    long waiting =
        state
            .found()
            .demandsBefore(Long.MAX_VALUE)
            .filter(demand -> !Admission.isFree(state, demand))
            .count();
    return Objects.requireNonNullElse(whyAll(state, waiting, target), "");
  }

  private static @Nullable String whyAll(MachineState state, Plan plan, long target) {
    if (plan.operator().approves() != 0) {
      // Violations are kept for less time than a request may wait.
      return "an operator approved it, and the log does not name its witnesses";
    }
    List<Demand> admitted = Admission.admitted(state, plan);
    long waiting = state.found().demandsBefore(plan.epoch()).count() - admitted.size();
    String why = whyAll(state, waiting, target);
    if (why != null) {
      return why;
    }
    for (Demand demand : admitted) {
      if (!wantsAffected(state, demand.predicate())) {
        return "predicate=%s is violated at %s, and asks to undo all writes since"
            .formatted(demand.predicate(), PointInTime.format(demand.violate()));
      }
    }
    if (admitted.stream().anyMatch(Demand::hasTooManyWitnesses)) {
      return TOO_MANY_WITNESSES;
    }
    return unnoted(state, plan, target);
  }

  /**
   * @param waiting violations that ask for a rollback and get none
   */
  private static @Nullable String whyAll(MachineState state, long waiting, long target) {
    if (waiting > 0 || !state.log().gates().requests().isEmpty()) {
      return "a violation waits for approval, or for its budget, and its interval could end"
          + " unjudged";
    }
    if (state.policies().values().stream().anyMatch(AffectedScope::actsOnRisenGrade)) {
      return "a predicate is rolled back when a grade rises, which may be too late";
    }
    if (state.found().lostTo() > target) {
      long end = state.found().lostTo();
      return end == Long.MAX_VALUE
          ? "a coverage gap is not over"
          : "a coverage gap ends at %s, after the target".formatted(PointInTime.format(end));
    }
    List<PastPlan> past = state.log().plans().past();
    if (!past.isEmpty() && past.get(past.size() - 1).clock() > target) {
      return "the target is before the epoch began";
    }
    return null;
  }

  /** Whether the policy acts on a grade that can rise after its HLC was judged. */
  private static boolean actsOnRisenGrade(Policy policy) {
    OnViolation action = policy.onViolation();
    return action != null && policy.rollsBack() && action.rollbackOn() == Grade.DEFINITE;
  }

  private static @Nullable String unnoted(MachineState state, Plan plan, long target) {
    Map<Integer, Long> since = plan.affected().notedSince();
    for (int node = 0; node < state.settings().nodes(); node++) {
      long from = since.getOrDefault(node, Long.MAX_VALUE);
      if (from > target) {
        return from == Long.MAX_VALUE
            ? "node %d has no access log".formatted(node)
            : "the access log of node %d starts only at %s"
                .formatted(node, PointInTime.format(from));
      }
    }
    return null;
  }
}
