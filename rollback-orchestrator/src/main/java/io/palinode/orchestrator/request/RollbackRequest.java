package io.palinode.orchestrator.request;

import io.palinode.hvc.Hlc;
import io.palinode.hvc.PointInTime;
import io.palinode.orchestrator.plan.PastPlan;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.violations.Demand;
import io.palinode.wire.v1.Moment;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.StoreKey;
import io.palinode.wire.v1.Violation;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A rollback that an operator asks for. Immutable.
 *
 * @param request its name in the log; see {@link RequestName}
 * @param target the HLC to restore; unused if it undoes a rollback
 * @param violationIds the violations that caused it; may be empty
 * @param predicate of these; empty if there are none
 * @param undoes the epoch of the rollback whose discarded writes are reinstated; 0: none
 * @param seeds the writes to undo
 * @param comparesAll no write is undone and all keys are compared; {@code target} is unused
 */
public record RollbackRequest(
    String request,
    long target,
    List<String> violationIds,
    String predicate,
    long undoes,
    Seeds seeds,
    boolean comparesAll) {
  /** The limit of one violation id. */
  static final int ID_CHARS_MAX = 256;

  /** Throws {@link IllegalArgumentException} for a name or id that the log cannot hold. */
  public RollbackRequest {
    String unused = RequestName.require(request);
    if (undoes > 0 && seeds.isOfSome()) {
      throw new IllegalArgumentException(
          "an undo of a rollback reinstates all that it discarded; name no keys or violations");
    }
    violationIds = List.copyOf(violationIds);
    for (String id : violationIds) {
      if (id.length() > ID_CHARS_MAX) {
        throw new IllegalArgumentException(
            "the id of a violation must have at most %d characters: it has %d"
                .formatted(ID_CHARS_MAX, id.length()));
      }
    }
  }

  /** Undoes all writes after the target. */
  public RollbackRequest(
      String request, long target, List<String> violationIds, String predicate, long undoes) {
    this(request, target, violationIds, predicate, undoes, Seeds.ALL, false);
  }

  /** Undoes no write, and converges all keys. */
  public static RollbackRequest comparing(String request) {
    return new RollbackRequest(request, 0, List.of(), "", 0, Seeds.ALL, true);
  }

  /** Restores the cut at {@code target}. */
  public static RollbackRequest to(String request, long target) {
    return new RollbackRequest(request, target, List.of(), "", 0);
  }

  /** Restores the cut right before a violation. */
  public static RollbackRequest before(String request, Violation violation) {
    return new RollbackRequest(
        request,
        violation.getViolate() - 1,
        List.of(violation.getId()),
        violation.getPredicate(),
        0);
  }

  /** The writes of the violation's witnesses that are after the target. */
  public Set<Moment> witnesses(Violation violation) {
    return Demand.witnesses(violation).stream()
        .filter(witness -> witness.getHlc() > target)
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Undoes only what depends on these writes, or on the first writes of these keys after the
   * target.
   */
  public RollbackRequest undoingOnly(Collection<Moment> witnesses, List<StoreKey> keys) {
    return with(new Seeds(Set.copyOf(witnesses), keys));
  }

  /** With the writes that nodes have named for its keys. */
  public RollbackRequest knowing(Effect effect) {
    return effect.isOfSome() ? with(Seeds.of(effect.witnesses())) : this;
  }

  RollbackRequest with(Seeds newSeeds) {
    return new RollbackRequest(
        request, target, violationIds, predicate, undoes, newSeeds, comparesAll);
  }

  RollbackRequest named(String newRequest) {
    return new RollbackRequest(
        newRequest, target, violationIds, predicate, undoes, seeds, comparesAll);
  }

  /** Reinstates the writes that a rollback discarded. */
  public static RollbackRequest undoing(String request, long epoch) {
    return new RollbackRequest(request, 0, List.of(), "", epoch);
  }

  /**
   * The HLC that the rollback would restore, as far as the log decides it. The reach of nodes is
   * not checked.
   *
   * @throws RefusedException naming why no store of this cluster can be restored there
   */
  public long target(MachineState state) throws RefusedException {
    if (comparesAll) {
      return Hlc.ofMicros(state.nowMicros());
    }
    long cut = undoes > 0 ? branchEnd(state) : target;
    if (undoes == 0 && Hlc.micros(cut) >= state.nowMicros()) {
      throw new RefusedException(
          "%s is in the future: it is %s"
              .formatted(
                  PointInTime.format(cut), PointInTime.format(Hlc.ofMicros(state.nowMicros()))));
    }
    PastPlan around = state.log().plans().discardedAround(cut, undoes);
    if (around != null) {
      throw new RefusedException(around.keptAll() ? kept(around) : discarded(around, cut));
    }
    return cut;
  }

  private long branchEnd(MachineState state) throws RefusedException {
    PastPlan done = state.log().plans().pastPlan(undoes);
    if (done == null) {
      throw new RefusedException("there is no rollback %d that has ended".formatted(undoes));
    }
    if (done.undone()) {
      throw new RefusedException(
          "the writes that rollback %d discarded are already reinstated".formatted(undoes));
    }
    if (done.branchEnd() == 0) {
      throw new RefusedException(
          "rollback %d cannot be undone: it discarded no write, or a node's clock was too far behind for one cut before it"
              .formatted(undoes));
    }
    return done.branchEnd();
  }

  private static String kept(PastPlan plan) {
    return "rollback %d %s: nothing before its end, %s, can be restored"
        .formatted(
            plan.epoch(),
            plan.abandoned() ? "was abandoned" : "ended in a restart",
            PointInTime.format(plan.clock()));
  }

  private static String discarded(PastPlan plan, long cut) {
    return "rollback %d discarded what was at %s: choose a time up to %s, or after %s"
        .formatted(
            plan.epoch(),
            PointInTime.format(cut),
            PointInTime.format(plan.target()),
            PointInTime.format(plan.clock()));
  }

  private String reason() {
    return comparesAll
        ? "comparison of all keys"
        : undoes > 0 ? "undo of rollback " + undoes : "by hand";
  }

  /** The record that opens the plan, without the violations that wait for one. */
  public PlanOpened.Builder opened(MachineState state) throws RefusedException {
    return PlanOpened.newBuilder()
        .addAllViolationIds(violationIds)
        .setPredicate(predicate)
        .setTarget(target(state))
        .setReason(reason())
        .setCompareAll(comparesAll)
        .setRequest(request)
        .setUndoes(undoes)
        .addAllWitnesses(seeds.witnesses());
  }
}
