package io.palinode.orchestrator.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.hvc.Hlc;
import io.palinode.hvc.PointInTime;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.wire.v1.Converge;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Resume;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Snapshots during and after rollbacks. */
class SnapshotRollbackTest extends SnapshotMachineFixture {
  @Test
  void theTargetOfARollbackIsNeitherMovedNorDeleted() throws RefusedException {
    live();
    complete(request("a", null, false, 0));
    Restore restore =
        Restore.newBuilder()
            .setAttempt(1)
            .setSnapshot(snapshot("a").opened().getSnapshot())
            .setTarget(snapshot("a").opened().getHlc())
            .build();
    var unused = undo(1, restore);
    // To before the rollback: no other rule refuses it.
    assertRefused(
        new SnapshotRequest(null, 1L, "a", true, 0), "a rollback is going to snapshot 'a'");
    assertThatThrownBy(() -> machine.delete("a")).hasMessageContaining("a rollback is going to");
  }

  /** Also before its first restore, which begins with the snapshot. */
  @Test
  void theSnapshotThatAnOperatorRestoresIsNeitherMovedNorDeleted() throws RefusedException {
    live();
    complete(request("a", null, false, 0));
    PlanOpened opened =
        PlanOpened.newBuilder()
            .setRequest("r")
            .setTarget(snapshot("a").opened().getHlc())
            .setSnapshot(snapshot("a").opened().getSnapshot())
            .build();
    machine.follow(ControlLogState.empty(3).read(plan().setPlanOpened(opened).build()));
    assertRefused(
        new SnapshotRequest(null, 1L, "a", true, 0), "a rollback is going to snapshot 'a'");
    assertThatThrownBy(() -> machine.delete("a")).hasMessageContaining("a rollback is going to");
  }

  @Test
  void aTimeWithinARollbackIsRefusedWithTheNearestTimesThatAreNot() throws RefusedException {
    live();
    rollBack(Hlc.ofMicros(400), Hlc.ofMicros(600));
    for (long half : List.of(Hlc.ofMicros(400) + 1, Hlc.ofMicros(600) - 1)) {
      assertRefused(
          new SnapshotRequest("a", half, null, false, 0),
          "up to %s, and from %s on"
              .formatted(
                  PointInTime.format(Hlc.ofMicros(400)), PointInTime.format(Hlc.ofMicros(600))));
    }
    complete(new SnapshotRequest("a", Hlc.ofMicros(400), null, false, 0));
    complete(new SnapshotRequest("b", Hlc.ofMicros(600), null, false, 0));
  }

  @Test
  void aSnapshotIsRefusedWhileARollbackIsOpen() throws RefusedException {
    live();
    undo(Hlc.ofMicros(now) - 1);
    assertRefused(request("a", null, false, 0), "the rollback to epoch 1 is under way");
    complete(new SnapshotRequest("a", Hlc.ofMicros(now) - 1, null, false, 0));
  }

  @Test
  void aSnapshotThatARollbackOvertakesIsDiscardedWithTheReason() throws RefusedException {
    live();
    take(request("a", null, false, 0));
    answer("a", 0, "");
    answer("a", 1, "disk full");
    undo(snapshot("a").opened().getHlc() - 1);
    answer("a", 2, "");
    assertThat(snapshot("a").phase()).isEqualTo(Snapshot.Phase.FAILED);
    assertThat(log.get(log.size() - 1).getClosed().getDiscarded()).isTrue();
    assertThat(snapshot("a").nodes().get(0).taken().getFailure()).contains("rollback to epoch 1");
    assertThat(snapshot("a").nodes().get(1).taken().getFailure()).isEqualTo("disk full");
    // One that the rollback has not reached stands.
    long before = snapshot("a").opened().getHlc() - 1;
    complete(new SnapshotRequest("b", before, null, false, 0));
  }

  private void rollBack(long quietSince, long clock) {
    ControlLogState log = undo(quietSince);
    log = log.read(plan().setConverge(Converge.newBuilder().setAttempt(1)).build());
    machine.follow(
        log.read(plan().setResume(Resume.newBuilder().setAttempt(1).setClock(clock)).build()));
  }
}
