package io.palinode.orchestrator.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Pause;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.SnapshotStep;
import io.palinode.wire.v1.SnapshotTaken;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The snapshots of three nodes over a log in memory. */
class SnapshotMachineFixture {
  static final int NODES = 3;
  static final SnapshotSettings SETTINGS =
      new SnapshotSettings(NODES, Duration.ofSeconds(30), 2, 5);

  final List<SnapshotStep> log = new ArrayList<>();
  final SnapshotMachine machine = new SnapshotMachine(SETTINGS);
  long now = 1_000_000;

  ControlLogState undo(long quietSince) {
    return undo(quietSince, Restore.newBuilder().setAttempt(1).build());
  }

  ControlLogState undo(long quietSince, Restore restore) {
    ControlLogState log = ControlLogState.empty(NODES);
    log = log.read(plan().setPlanOpened(PlanOpened.getDefaultInstance()).build());
    log = log.read(plan().setPause(Pause.getDefaultInstance()).build());
    for (int node = 0; node < NODES; node++) {
      Paused paused = Paused.newBuilder().setNode(node).setQuietSince(quietSince + node).build();
      log = log.read(plan().setPaused(paused).build());
    }
    machine.follow(log);
    assertThat(log.plans().halfUndoneAt(quietSince + 1)).isNull();
    log = log.read(plan().setRestore(restore).build());
    machine.follow(log);
    return log;
  }

  static ControlRecord.Builder plan() {
    return ControlRecord.newBuilder().setEpoch(1);
  }

  void live() {
    append(machine.caughtUp(now));
  }

  void append(List<SnapshotStep> steps) {
    Deque<SnapshotStep> due = new ArrayDeque<>(steps);
    while (!due.isEmpty()) {
      SnapshotStep step = due.remove();
      log.add(step);
      due.addAll(machine.read(step, now, now));
    }
  }

  static SnapshotRequest request(
      @Nullable String id, @Nullable String base, boolean rolling, int atOnce) {
    return new SnapshotRequest(id, null, base, rolling, atOnce);
  }

  void take(SnapshotRequest request) throws RefusedException {
    append(List.of(machine.request(request, now)));
  }

  void complete(SnapshotRequest request) throws RefusedException {
    take(request);
    for (int node = 0; node < NODES; node++) {
      answer(Objects.requireNonNull(request.id()), node, "");
    }
  }

  void assertRefused(SnapshotRequest request, String part) {
    assertThatThrownBy(() -> machine.request(request, now))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining(part);
  }

  Snapshot snapshot(String id) {
    return Objects.requireNonNull(machine.get(id));
  }

  void answer(String id, int node, String failure) {
    append(List.of(taken(snapshot(id).number(), node, failure)));
  }

  static SnapshotStep taken(long number, int node, String failure) {
    return SnapshotStep.newBuilder()
        .setTaken(SnapshotTaken.newBuilder().setNumber(number).setNode(node).setFailure(failure))
        .build();
  }
}
