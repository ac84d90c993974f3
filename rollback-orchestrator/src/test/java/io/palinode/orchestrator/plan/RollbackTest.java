package io.palinode.orchestrator.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.wire.v1.Abandon;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converge;
import io.palinode.wire.v1.Converged;
import io.palinode.wire.v1.Halted;
import io.palinode.wire.v1.Pause;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Restored;
import io.palinode.wire.v1.Resume;
import io.palinode.wire.v1.Retry;
import io.palinode.wire.v1.SnapshotRef;
import org.junit.jupiter.api.Test;

class RollbackTest {
  @Test
  void theTimesOfItsStepsAddUpToTheWhole() {
    Rollback rollback =
        opened(100)
            .after(at(110).setPause(Pause.getDefaultInstance()).build())
            .after(at(140).setPaused(Paused.newBuilder().setNode(1)).build())
            .after(at(130).setPaused(Paused.newBuilder().setNode(0)).build())
            .after(at(150).setRestore(restore(1, 7)).build())
            .after(at(160).setRestored(restored(false, 3)).build())
            .after(at(165).setRestored(restored(true, 3)).build())
            .after(at(170).setConverge(Converge.getDefaultInstance()).build())
            .after(at(200).setRestore(restore(2, 6)).build())
            .after(at(205).setRestored(restored(true, 4)).build())
            .after(at(210).setConverge(Converge.getDefaultInstance()).build())
            .after(at(215).setConverged(converged(3)).build())
            .after(at(250).setResume(Resume.getDefaultInstance()).build());
    assertThat(rollback.times()).isEqualTo(new StepTimes(40, 10, 30, 70));
    assertThat(rollback.totalMicros()).isEqualTo(150);
    assertThat(rollback.state()).isEqualTo(Rollback.State.RESUMED);
    assertThat(rollback.attempts()).isEqualTo(2);
    assertThat(rollback.target()).isEqualTo(6);
    assertThat(rollback.undoneWrites()).as("the first attempt's are among them").isEqualTo(4);
    assertThat(rollback.convergedKeys()).isEqualTo(3);
  }

  @Test
  void anUndoNamesTheRollbackThatItUndoes() {
    PlanOpened undo = PlanOpened.newBuilder().setUndoes(4).build();
    assertThat(Rollback.opened(at(100).setPlanOpened(undo).build()).undoes()).isEqualTo(4);
    assertThat(opened(100).undoes()).isZero();
  }

  @Test
  void aHaltedOneHasEndedWithItsReason() {
    Rollback rollback =
        opened(100).after(at(130).setHalted(Halted.newBuilder().setReason("why")).build());
    assertThat(rollback.isEnded()).isTrue();
    assertThat(rollback.haltReason()).isEqualTo("why");
    assertThat(rollback.totalMicros()).isEqualTo(30);
  }

  @Test
  void anAbandonedOneKeepsTheReasonOfItsHalt() {
    Rollback halted =
        opened(100).after(at(130).setHalted(Halted.newBuilder().setReason("why")).build());
    Rollback retried = halted.after(at(140).setRetry(Retry.getDefaultInstance()).build());
    assertThat(retried.isEnded()).isFalse();
    assertThat(retried.haltReason()).isEmpty();
    Rollback abandoned =
        halted
            .after(at(140).setAbandon(Abandon.getDefaultInstance()).build())
            .after(at(150).setRestore(restore(1, 7)).build())
            .after(at(160).setResume(Resume.getDefaultInstance()).build());
    assertThat(abandoned.state()).isEqualTo(Rollback.State.ABANDONED);
    assertThat(abandoned.haltReason()).isEqualTo("why");
  }

  @Test
  void aRetryBySnapshotAddsToTheUndoneWrites() {
    Restore snapshot = restore(1, 7).toBuilder().setSnapshot(SnapshotRef.newBuilder()).build();
    Rollback rollback =
        opened(100)
            .after(at(150).setRestore(snapshot).build())
            .after(at(160).setRestored(restored(true, 3)).build())
            .after(at(190).setRestore(snapshot.toBuilder().setAttempt(2)).build())
            .after(at(200).setRestored(restored(true, 1)).build());
    assertThat(rollback.undoneWrites()).isEqualTo(4);
  }

  @Test
  void anAbandonedRollbackShowsUndoneWritesUnlessNodesReturnToTheirDataBefore() {
    Rollback halted =
        opened(100)
            .after(at(150).setRestore(restore(1, 7)).build())
            .after(at(160).setRestored(restored(true, 3)).build())
            .after(at(170).setHalted(Halted.newBuilder().setReason("why")).build())
            .after(at(180).setAbandon(Abandon.getDefaultInstance()).build());
    Restore.Builder keep = restore(2, 7).toBuilder().setKeep(true);
    assertThat(halted.after(at(190).setRestore(keep).build()).undoneWrites()).isEqualTo(3);
    assertThat(halted.after(at(190).setRestore(keep.setPast(8)).build()).undoneWrites()).isZero();
  }

  @Test
  void theUsersOfItsRecordsAreKept() {
    PlanOpened approved = PlanOpened.newBuilder().setApproves(4).build();
    Rollback rollback =
        Rollback.opened(at(100).setPlanOpened(approved).setBy("alice").build())
            .after(at(130).setHalted(Halted.newBuilder().setReason("why")).build())
            .after(at(140).setRetry(Retry.getDefaultInstance()).setBy("bob").build())
            .after(at(150).setHalted(Halted.getDefaultInstance()).setBy("carol").build())
            .after(at(160).setAbandon(Abandon.getDefaultInstance()).build());
    assertThat(rollback.acts())
        .containsExactly(
            new Rollback.Act("approve", "alice", 100),
            new Rollback.Act("retry", "bob", 140),
            new Rollback.Act("abandon", "carol", 150));
    assertThat(opened(100).acts()).as("a record without users").isEmpty();
  }

  @Test
  void absurdUsersAreBounded() {
    Rollback rollback = opened(100);
    for (int i = 0; i < 100; i++) {
      String name = i == 0 ? "first" : "x".repeat(i);
      rollback = rollback.after(at(i).setRetry(Retry.getDefaultInstance()).setBy(name).build());
    }
    assertThat(rollback.acts()).hasSize(32);
    assertThat(rollback.acts().get(0).user()).isEqualTo("first");
    assertThat(rollback.acts().get(31).user()).isEqualTo("?");
    assertThat(
            opened(1)
                .after(at(2).setRetry(Retry.getDefaultInstance()).setBy("a\u001b[2J").build())
                .acts())
        .containsExactly(new Rollback.Act("retry", "?", 2));
  }

  private static Rollback opened(long micros) {
    return Rollback.opened(at(micros).setPlanOpened(PlanOpened.newBuilder().setTarget(9)).build());
  }

  private static Restore restore(int attempt, long target) {
    return Restore.newBuilder().setAttempt(attempt).setTarget(target).build();
  }

  private static Restored restored(boolean last, long undone) {
    return Restored.newBuilder().setLast(last).setUndoneWrites(undone).build();
  }

  private static Converged converged(long keys) {
    return Converged.newBuilder().setLast(true).setChangedKeys(keys).build();
  }

  private static ControlRecord.Builder at(long micros) {
    return ControlRecord.newBuilder().setEpoch(1).setAtMicros(micros);
  }
}
