package io.palinode.store.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.palinode.detector.binding.StoreKey;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.wire.v1.Abandon;
import io.palinode.wire.v1.Contribution;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converge;
import io.palinode.wire.v1.Halted;
import io.palinode.wire.v1.Pause;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Restored;
import io.palinode.wire.v1.Resume;
import io.palinode.wire.v1.Retry;
import io.palinode.wire.v1.SnapshotRef;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The duties of a node in a plan whose target is out of reach. */
class UnreachablePlanTest {
  private static final Restore BY_SNAPSHOT =
      Restore.newBuilder()
          .setAttempt(2)
          .setTarget(5)
          .setSnapshot(SnapshotRef.newBuilder().setId("good").setNumber(3))
          .setWhole(true)
          .build();

  private final List<ControlRecord> log = new ArrayList<>();

  @BeforeEach
  void pause() {
    add(1, record -> record.setPlanOpened(PlanOpened.getDefaultInstance()));
    add(1, record -> record.setPause(Pause.getDefaultInstance()));
  }

  @Test
  void anAttemptThatSomeNodeCouldNotMakeIsOverAtOnce() {
    add(1, record -> record.setRestore(Restore.newBuilder().setAttempt(1).setTarget(9)));
    add(1, record -> record.setRestore(BY_SNAPSHOT));
    assertThat(commands()).as("no node has failed").contains(new Command.Restore(1, 1, 9, 0));
    add(1, record -> record.setRestored(answer(1, 1).setFailure("out of reach")));
    add(1, record -> record.setRestore(BY_SNAPSHOT));
    assertThat(commands()).contains(new Command.RestoreFrom(1, BY_SNAPSHOT));
    add(1, record -> record.setRestored(answer(0, 1)));
    assertThat(commands())
        .as("an answer to the attempt before is none")
        .contains(new Command.RestoreFrom(1, BY_SNAPSHOT));
    add(1, record -> record.setRestored(answer(0, 2)));
    add(1, record -> record.setRestored(answer(1, 2)));
    add(1, record -> record.setConverge(Converge.newBuilder().setAttempt(2)));
    assertThat(commands())
        .as("nothing is there that could differ")
        .contains(new Command.Converge(1, BY_SNAPSHOT, List.of(), null));
  }

  @Test
  void aRestartKeepsAllDataWithoutAnOperator() {
    add(1, record -> record.setRestore(restart(1)));
    assertThat(commands()).contains(new Command.Keep(1, restart(1).build()));
    add(1, record -> record.setRestored(answer(1, 1).setFailure("too large").setTooLarge(true)));
    add(1, record -> record.setRestore(Restore.newBuilder().setAttempt(2).setTarget(9)));
    assertThat(commands()).as("it stays one").contains(new Command.Keep(1, restart(1).build()));
    add(1, record -> record.setRestore(restart(2).setWhole(true)));
    assertThat(commands()).contains(new Command.KeepAll(1, restart(2).setWhole(true).build()));
  }

  @Test
  void differingKeysAreExchangedInRounds() {
    Restore first = BY_SNAPSHOT.toBuilder().setAttempt(1).setRoundBytes(100).build();
    add(1, record -> record.setRestore(first));
    for (int node = 0; node < 2; node++) {
      // The middle one is alike.
      Restored.Builder restored = answer(node, 1);
      restored.addChanged(slice(1, node + 1, 30)).addChanged(slice(2, 7, 30));
      restored.addChanged(slice(3, node + 1, 30)).addChanged(slice(4, node + 1, 30));
      add(1, record -> record.setRestored(restored));
    }
    add(1, record -> record.setConverge(Converge.newBuilder().setAttempt(1)));
    assertThat(commands()).contains(new Command.Contribute(1, first, List.of(name(1))));
    contributed(1);
    assertThat(commands()).contains(new Command.Converge(1, first, List.of(), name(3)));

    Restore second = first.toBuilder().setAttempt(2).setFromSlice(slice(3, 0, 0)).build();
    add(1, record -> record.setRestore(second));
    assertThat(commands())
        .as("it is restored already")
        .contains(new Command.KeepAll(1, second))
        .noneMatch(command -> command instanceof Command.RestoreFrom);
    for (int node = 0; node < 2; node++) {
      Restored.Builder restored = answer(node, 2);
      // What is before it differs still, as the order of siblings may.
      restored.addChanged(slice(1, node + 1, 30)).addChanged(slice(3, node + 1, 500));
      add(1, record -> record.setRestored(restored));
    }
    add(1, record -> record.setConverge(Converge.newBuilder().setAttempt(2)));
    assertThat(commands())
        .as("one slice is taken, even if it is large")
        .contains(new Command.Contribute(1, second, List.of(name(3))));
    contributed(2);
    assertThat(commands()).contains(new Command.Converge(1, second, List.of(), null));
  }

  private void contributed(int attempt) {
    for (int node = 0; node < 2; node++) {
      Contribution.Builder contribution =
          Contribution.newBuilder().setNode(node).setAttempt(attempt).setLast(true);
      add(1, record -> record.setContribution(contribution));
    }
  }

  private static io.palinode.wire.v1.StoreKey.Builder slice(int name, long digest, long weight) {
    return io.palinode.wire.v1.StoreKey.newBuilder()
        .setStore("s")
        .setKey(ByteString.copyFrom(new byte[] {(byte) name}))
        .setDigest(digest)
        .setReplicas(2)
        .setWeight(weight);
  }

  private static StoreKey name(int name) {
    return new StoreKey("s", new byte[] {(byte) name});
  }

  @Test
  void oneThatWasDecidedBeforeThePlanWasAbandonedChangesNothing() {
    add(1, record -> record.setHalted(Halted.getDefaultInstance()));
    add(1, record -> record.setAbandon(Abandon.newBuilder().setHalt(1)));
    add(1, record -> record.setRestore(restart(1)));
    assertThat(commands()).doesNotContain(new Command.Keep(1, restart(1).build()));
    add(1, record -> record.setRestore(restart(1).setRestart(false)));
    assertThat(commands()).contains(new Command.Keep(1, restart(1).setRestart(false).build()));
  }

  @Test
  void aRetryAfterAnAbandonOfARestartRestoresAgain() {
    add(1, record -> record.setRestore(restart(1)));
    add(1, record -> record.setHalted(Halted.newBuilder().setAttempt(1)));
    add(1, record -> record.setAbandon(Abandon.newBuilder().setHalt(1)));
    add(1, record -> record.setHalted(Halted.newBuilder().setAttempt(1).setHaltsBefore(1)));
    add(1, record -> record.setRetry(Retry.newBuilder().setHalt(2)));
    add(1, record -> record.setRestore(Restore.newBuilder().setAttempt(2).setTarget(9)));
    assertThat(commands()).contains(new Command.Restore(1, 2, 9, 0));
  }

  @Test
  void aRestartThatHaltedAndWasAbandonedIsNoneAnyMore() {
    add(1, record -> record.setRestore(restart(1)));
    add(1, record -> record.setHalted(Halted.newBuilder().setAttempt(1)));
    add(1, record -> record.setAbandon(Abandon.newBuilder().setHalt(1)));
    add(1, record -> record.setRestore(restart(2)));
    assertThat(commands()).doesNotContain(new Command.Keep(1, restart(2).build()));
    Restore kept = restart(2).setRestart(false).build();
    add(1, record -> record.setRestore(kept));
    assertThat(commands()).contains(new Command.Keep(1, kept));
  }

  @Test
  void theEpochOfARestartIsServedInLaterEpochsToo() {
    add(1, record -> record.setRestore(restart(1)));
    add(1, record -> record.setConverge(Converge.newBuilder().setAttempt(1)));
    add(1, record -> record.setResume(Resume.newBuilder().setTarget(9).setRestart(true)));
    assertThat(commands())
        .contains(new Command.Serve(1, 9, 0, new MissedEpochs(1, 0, 0), List.of()));
    add(2, record -> record.setPlanOpened(PlanOpened.getDefaultInstance()));
    add(2, record -> record.setPause(Pause.getDefaultInstance()));
    add(2, record -> record.setRestore(Restore.newBuilder().setAttempt(1).setTarget(20)));
    add(2, record -> record.setConverge(Converge.newBuilder().setAttempt(1)));
    add(2, record -> record.setResume(Resume.newBuilder().setTarget(20)));
    assertThat(commands())
        .contains(new Command.Serve(2, 20, 0, new MissedEpochs(1, 0, 0), List.of()));
  }

  private static Restore.Builder restart(int attempt) {
    return Restore.newBuilder().setAttempt(attempt).setTarget(9).setKeep(true).setRestart(true);
  }

  private static Restored.Builder answer(int node, int attempt) {
    return Restored.newBuilder().setNode(node).setAttempt(attempt).setLast(true);
  }

  private void add(long epoch, UnaryOperator<ControlRecord.Builder> step) {
    log.add(step.apply(ControlRecord.newBuilder().setEpoch(epoch)).build());
  }

  /** Of node 0 of two, when it starts now. */
  private List<Command> commands() {
    ControlState state = NodeControl.initial(0, 2, 7);
    for (ControlRecord record : log) {
      state = NodeControl.step(state, record).next();
    }
    return NodeControl.caughtUp(state).commands();
  }
}
