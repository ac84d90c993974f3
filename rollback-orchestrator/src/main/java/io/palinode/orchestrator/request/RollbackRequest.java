package io.palinode.orchestrator.request;

import io.palinode.hvc.Hlc;
import io.palinode.hvc.PointInTime;
import io.palinode.orchestrator.plan.PastPlan;
import io.palinode.orchestrator.plan.SnapshotCut;
import io.palinode.orchestrator.state.ControlLogState;
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
import org.jspecify.annotations.Nullable;

/**
 * A rollback that an operator asks for. Immutable.
 *
 * @param request its name in the log; see {@link RequestName}
 * @param goal the state that the store is to have
 * @param violationIds the violations that caused it; may be empty
 * @param predicate of these; empty if there are none
 * @param seeds the writes to undo
 */
public record RollbackRequest(
    String request, Goal goal, List<String> violationIds, String predicate, Seeds seeds) {
  /** The limit of one violation id. */
  static final int ID_CHARS_MAX = 256;

  private static final int SNAPSHOT_CHARS_MAX = 63;

  /**
   * The state that the store is to have.
   *
   * @param target the HLC to restore; of a snapshot: its cut as planned, or 0; else unused
   * @param undoes the epoch of the rollback whose discarded writes are reinstated; 0: none
   * @param snapshot the snapshot to restore; null: none
   * @param comparesAll no write is undone and all keys are compared
   */
  record Goal(long target, long undoes, @Nullable String snapshot, boolean comparesAll) {
    Goal {
      if (snapshot != null && snapshot.length() > SNAPSHOT_CHARS_MAX) {
        throw new IllegalArgumentException(
            "the name of a snapshot has at most %d characters: it has %d"
                .formatted(SNAPSHOT_CHARS_MAX, snapshot.length()));
      }
    }
  }

  /** Throws {@link IllegalArgumentException} for a name or id that the log cannot hold. */
  public RollbackRequest {
    String unused = RequestName.require(request);
    if (goal.undoes > 0 && seeds.isOfSome()) {
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
    this(request, new Goal(target, undoes, null, false), violationIds, predicate, Seeds.ALL);
  }

  private RollbackRequest(String request, Goal goal) {
    this(request, goal, List.of(), "", Seeds.ALL);
  }

  /** Undoes no write, and converges all keys. */
  public static RollbackRequest comparing(String request) {
    return new RollbackRequest(request, new Goal(0, 0, null, true));
  }

  /**
   * Restores a snapshot. Throws {@link IllegalArgumentException} for a name that no snapshot has.
   */
  public static RollbackRequest toSnapshot(String request, String snapshot) {
    return new RollbackRequest(request, new Goal(0, 0, snapshot, false));
  }

  /** The HLC to restore; unused by an undo, a snapshot and a comparison. */
  public long target() {
    return goal.target;
  }

  /** The epoch of the rollback whose discarded writes are reinstated; 0: none. */
  public long undoes() {
    return goal.undoes;
  }

  /** The snapshot to restore; null: none. */
  public @Nullable String snapshot() {
    return goal.snapshot;
  }

  /** Whether no write is undone and all keys are compared. */
  public boolean comparesAll() {
    return goal.comparesAll;
  }

  /** Restores the cut at {@code target}. */
  public static RollbackRequest to(String request, long target) {
    return new RollbackRequest(request, target, List.of(), "", 0);
  }

  /** Restores the cut right before a violation, whose terms all hold since {@code since}. */
  public static RollbackRequest before(String request, Violation violation, long since) {
    return new RollbackRequest(
        request, since - 1, List.of(violation.getId()), violation.getPredicate(), 0);
  }

  /** The writes of the violation's witnesses that are after the target. */
  public Set<Moment> witnesses(Violation violation) {
    return Demand.witnesses(violation).stream()
        .filter(witness -> witness.getHlc() > goal.target)
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
    return new RollbackRequest(request, goal, violationIds, predicate, newSeeds);
  }

  /** With the cut of its snapshot, if it has one: another cut of the same name is then refused. */
  RollbackRequest planned(long cut) {
    Goal fixed = new Goal(cut, 0, goal.snapshot, false);
    return goal.snapshot == null
        ? this
        : new RollbackRequest(request, fixed, violationIds, predicate, seeds);
  }

  RollbackRequest named(String newRequest) {
    return new RollbackRequest(newRequest, goal, violationIds, predicate, seeds);
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
    if (goal.comparesAll) {
      return Hlc.ofMicros(state.nowMicros());
    }
    String snapshot = goal.snapshot;
    if (snapshot != null) {
      return cut(state.log(), snapshot).hlc();
    }
    long undoes = goal.undoes;
    long cut = undoes > 0 ? branchEnd(state) : goal.target;
    if (undoes == 0 && Hlc.micros(cut) >= state.nowMicros()) {
      throw new RefusedException(
          "%s is in the future: it is %s"
              .formatted(
                  PointInTime.format(cut), PointInTime.format(Hlc.ofMicros(state.nowMicros()))));
    }
    PastPlan around = state.log().plans().discardedAround(cut, undoes);
    if (around != null) {
      throw new RefusedException(around.whyWithin(cut));
    }
    return cut;
  }

  /** The snapshot, if it is complete, as planned, and no rollback has discarded its cut. */
  private SnapshotCut cut(ControlLogState log, String snapshot) throws RefusedException {
    String whyNot = log.snapshots().whyNot(snapshot);
    SnapshotCut cut = log.snapshots().standing().get(snapshot);
    if (cut != null && whyNot == null) {
      whyNot = log.plans().notWholeAt(cut.hlc());
    }
    if (cut == null || whyNot != null) {
      throw new RefusedException(
          "snapshot '%s' cannot be restored: %s; 'palinode snapshot list' lists the snapshots"
              .formatted(snapshot, whyNot));
    }
    if (goal.target > 0 && goal.target != cut.hlc()) {
      throw new RefusedException(
          "snapshot '%s' was of %s when this was planned and is of %s now: plan again"
              .formatted(snapshot, PointInTime.format(goal.target), PointInTime.format(cut.hlc())));
    }
    return cut;
  }

  private long branchEnd(MachineState state) throws RefusedException {
    long undoes = goal.undoes;
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

  private String reason() {
    if (goal.snapshot != null) {
      return "by hand, to snapshot " + goal.snapshot;
    }
    return goal.comparesAll
        ? "comparison of all keys"
        : goal.undoes > 0 ? "undo of rollback " + goal.undoes : "by hand";
  }

  /** The record that opens the plan, without the violations that wait for one. */
  public PlanOpened.Builder opened(MachineState state) throws RefusedException {
    PlanOpened.Builder opened = PlanOpened.newBuilder();
    String snapshot = goal.snapshot;
    if (snapshot != null) {
      opened.setSnapshot(cut(state.log(), snapshot).toMessage());
    }
    return opened
        .addAllViolationIds(violationIds)
        .setPredicate(predicate)
        .setTarget(target(state))
        .setReason(reason())
        .setCompareAll(goal.comparesAll)
        .setRequest(request)
        .setUndoes(goal.undoes)
        .addAllWitnesses(seeds.witnesses());
  }
}
