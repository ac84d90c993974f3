package io.palinode.orchestrator.step;

import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.plan.SnapshotCut;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.violations.SequentialSpan;
import io.palinode.orchestrator.violations.TouchingRollback;
import io.palinode.wire.v1.Concerned;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converge;
import io.palinode.wire.v1.Halted;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Resume;
import io.palinode.wire.v1.StoreKey;
import io.palinode.wire.v1.Touched;
import java.util.List;
import java.util.stream.Stream;

/** The records of the open plan's steps, each for the plan as it is now. */
final class PlanRecords {
  /** The bytes that nodes exchange at once when they compare all keys; each node holds them. */
  private static final long ROUND_BYTES = 32L << 20;

  private final MachineState state;
  private final Plan plan;

  PlanRecords(MachineState state, Plan plan) {
    this.state = state;
    this.plan = plan;
  }

  ControlRecord.Builder step() {
    return ControlRecord.newBuilder().setEpoch(plan.epoch()).setAtMicros(state.nowMicros());
  }

  ControlRecord converge() {
    return step().setConverge(Converge.newBuilder().setAttempt(plan.attempt())).build();
  }

  ControlRecord halt(String reason) {
    return step().setHalted(halted(plan, reason)).build();
  }

  /** A halt that counts only for the current attempt and the current answers. */
  static Halted.Builder halted(Plan plan, String reason) {
    return Halted.newBuilder()
        .setReason(reason)
        .setAttempt(plan.attempt())
        .setHaltsBefore(plan.steps().halts());
  }

  ControlRecord restore(long target, String reason) {
    return step()
        .setRestore(
            Restore.newBuilder()
                .setAttempt(plan.attempt() + 1)
                .setTarget(target)
                .setPast(plan.clock())
                .setReason(reason)
                .setSinceFrom(StepBack.sinceFrom(state, plan, target))
                .addAllTouched(plan.attempt() == 0 ? touched() : List.of()))
        .build();
  }

  /** A restore by all nodes' parts of a snapshot. No node can name the keys that differ then. */
  ControlRecord restore(SnapshotCut cut, String reason) {
    Restore.Builder restore = restore(cut.hlc(), reason).getRestore().toBuilder().clearSinceFrom();
    return step()
        .setRestore(restore.setSnapshot(cut.toMessage()).setWhole(true).setRoundBytes(ROUND_BYTES))
        .build();
  }

  /** Continues a comparison that did not fit into one attempt. */
  ControlRecord nextRound(StoreKey rest) {
    Restore.Builder next =
        Restore.newBuilder()
            .setAttempt(plan.attempt() + 1)
            .setTarget(plan.target())
            .setPast(plan.clock())
            .setKeep(plan.isKept())
            .setRestart(plan.isRestarted())
            .setWhole(true)
            .setRoundBytes(ROUND_BYTES)
            .setFromSlice(rest);
    SnapshotCut cut = plan.halts().fallback().snapshot();
    if (cut != null) {
      next.setSnapshot(cut.toMessage());
    }
    return step().setRestore(next).build();
  }

  ControlRecord restart(long target, String reason) {
    Restore.Builder keep = keep(target).getRestore().toBuilder();
    // Some nodes may have restored before: they return to the data before that attempt.
    return step()
        .setRestore(keep.setRestart(true).setReason(reason).setPast(plan.branchEnd()))
        .build();
  }

  private List<Touched> touched() {
    return TouchingRollback.bounded(
        Stream.concat(
            plan.operator().touches().stream(),
            Admission.admitted(state, plan).stream().flatMap(demand -> demand.touches().stream())));
  }

  /**
   * Keeps the data. All keys are compared if a node cannot name the keys changed since the target.
   * If all writes stand, nodes restarted since the first pause cannot either. If the plan is
   * abandoned, nodes first undo their own attempts.
   */
  ControlRecord keep(long target) {
    long known = plan.isCancelled() ? Math.min(target, plan.quietSince()) : target;
    boolean isForgotten = plan.reachMax() > known;
    boolean isUnknown =
        isForgotten || plan.halts().fallback().triedSnapshot() || plan.operator().comparesAll();
    return step()
        .setRestore(
            Restore.newBuilder()
                .setAttempt(plan.attempt() + 1)
                .setTarget(target)
                .setKeep(true)
                .setWhole(isUnknown)
                .setRoundBytes(ROUND_BYTES)
                .setPast(plan.isAbandoned() ? plan.branchEnd() : 0)
                .setRestart(plan.isRestarted()))
        .build();
  }

  /** Keeps the data and compares all keys, in slices. For nodes with too many changed keys. */
  ControlRecord keepAll() {
    Restore.Builder keep = keep(plan.target()).getRestore().toBuilder();
    if (keep.getRestart()) {
      keep.setPast(plan.branchEnd());
    }
    return step()
        .setRestore(keep.setWhole(true).setRoundBytes(ROUND_BYTES).setReason(plan.failure()))
        .build();
  }

  /** The record that ends the plan. */
  ControlRecord resume() {
    List<SequentialSpan> sequential = AntiStall.after(state, plan);
    Resume.Builder resume =
        Resume.newBuilder()
            .setTarget(plan.target())
            .setSequentialUntilMicros(
                sequential.stream()
                    .filter(SequentialSpan::isAll)
                    .mapToLong(SequentialSpan::untilMicros)
                    .max()
                    .orElse(0))
            .addAllSequential(sequential.stream().map(SequentialSpan::toProto).toList())
            .setClock(Math.max(plan.clock(), plan.target()))
            .setAttempt(plan.attempt())
            .setRestart(plan.isRestarted())
            .setAsIs(plan.steps().decision().asIs());
    Concerned concerned = plan.affected().concerned();
    if (concerned != null) {
      resume.setConcerned(concerned);
    }
    return step().setResume(resume).build();
  }
}
