package io.palinode.orchestrator.rest;

import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.snapshot.Schedule;
import io.palinode.orchestrator.snapshot.Snapshot;
import io.palinode.orchestrator.snapshot.SnapshotMachine;
import io.palinode.orchestrator.snapshot.SnapshotRequest;
import io.palinode.orchestrator.snapshot.SnapshotSettings;
import io.palinode.wire.v1.SnapshotStep;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The snapshots of two nodes whose control log is read at once. */
final class FakeSnapshots implements SnapshotBackend {
  private final SnapshotMachine machine = new SnapshotMachine(SnapshotSettings.of(2));

  @Override
  public List<Snapshot> all() {
    return machine.all();
  }

  @Override
  public @Nullable Snapshot get(String id) {
    return machine.get(id);
  }

  @Override
  public @Nullable Snapshot roll(String id) {
    return machine.roll(id);
  }

  @Override
  public Snapshot take(SnapshotRequest request) throws RefusedException {
    SnapshotStep step = machine.request(request, FakeBackend.NOW_MICROS);
    machine.read(step, FakeBackend.NOW_MICROS, FakeBackend.NOW_MICROS);
    return Objects.requireNonNull(machine.get(step.getOpened().getSnapshot().getId()));
  }

  @Override
  public void cancel(String id) throws RefusedException {
    machine.read(machine.cancel(id), FakeBackend.NOW_MICROS, FakeBackend.NOW_MICROS);
  }

  @Override
  public Schedule schedule() {
    return machine.schedule();
  }

  @Override
  public void schedule(Schedule wanted) {
    var unused =
        machine.read(machine.schedule(wanted), FakeBackend.NOW_MICROS, FakeBackend.NOW_MICROS);
  }

  @Override
  public void delete(String id) throws RefusedException {
    machine.read(machine.delete(id), FakeBackend.NOW_MICROS, FakeBackend.NOW_MICROS);
  }
}
