package io.palinode.store.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.palinode.detector.binding.StoreKey;
import io.palinode.hvc.PointInTime;
import io.palinode.retroscope.snapshot.RollbackTimes;
import io.palinode.retroscope.snapshot.RollbackTimes.Span;
import io.palinode.retroscope.snapshot.file.HalfUndoneException;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.GateStep;
import io.palinode.wire.v1.Halted;
import io.palinode.wire.v1.KeyGroups;
import io.palinode.wire.v1.LetStand;
import io.palinode.wire.v1.Named;
import io.palinode.wire.v1.Pause;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Restored;
import io.palinode.wire.v1.Resume;
import io.palinode.wire.v1.Retry;
import io.palinode.wire.v1.SafePoint;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The steps of a plan at one node. */
class NodeControlTest extends NodeControlFixture {
  private static final StoreKey K = new StoreKey("s", new byte[] {1});
  private static final StoreKey L = new StoreKey("s", new byte[] {2});
  private static final Restore FIRST = Restore.newBuilder().setAttempt(1).build();

  @Test
  void aCommandThatKeepsFailingDoesNotJoinAgainOnceTheLogHasTheJoin() {
    ControlState state = restoring();
    assertThat(NodeControl.retry(state).commands()).contains(new Command.Join(0));
    state = taken(state, joined(1, 1));
    state = taken(state, joined(0, 2));
    assertThat(NodeControl.retry(state).commands()).contains(new Command.Join(0));
    state = taken(state, joined(0, 1));
    assertThat(NodeControl.retry(state).commands())
        .containsExactly(new Command.Watch(0, 0), new Command.Restore(1, 1, 0, 0));
  }

  @Test
  void aDecisionForAnEarlierAttemptOrHaltChangesNothing() {
    ControlState state = restoring();
    assertThat(taken(state, halted(0, 0))).isEqualTo(state);
    ControlState halted = taken(state, halted(1, 0));
    ControlState again = taken(halted, step(1).setRetry(Retry.newBuilder().setHalt(1)).build());
    assertThat(taken(again, halted(1, 0))).isEqualTo(again);
    ControlState second =
        taken(again, step(1).setRestore(Restore.newBuilder().setAttempt(2)).build());
    assertThat(taken(second, halted(1, 1))).isEqualTo(second);
    ControlState converging = taken(second, converge(2));
    assertThat(taken(converging, resume(1))).isEqualTo(converging);
    assertThat(taken(converging, resume(2)).epoch()).isEqualTo(1);
  }

  @Test
  void aNodeContributesWhenAllHaveRestoredAndConvergesWhenAllHaveContributed() {
    ControlState state = restoring();
    state = taken(state, restored(0));
    state = taken(state, restored(1));
    // A faulty orchestrator asks too early.
    state = taken(state, converge(1));
    ControlRecord last = withChanged(restored(2), K);
    NodeControl.Step step = NodeControl.step(state, last);
    Command contribute = new Command.Contribute(1, FIRST, List.of(K));
    assertThat(step.commands()).containsExactly(contribute);
    assertThat(taken(step.next(), withChanged(restored(2), L)))
        .as("later keys are not compared")
        .isEqualTo(step.next());
    state = taken(step.next(), contributed(2));
    state = taken(state, contributed(1));
    assertThat(NodeControl.step(state, contributed(0)).commands())
        .containsExactly(new Command.Converge(1, FIRST, List.of(), null));
  }

  @Test
  void nodesWithEqualDigestsExchangeNothing() {
    ControlState state = restoring();
    for (int node = 0; node < NODES; node++) {
      state = taken(state, withGroup(restored(node), 5, 77));
    }
    assertThat(NodeControl.step(state, converge(1)).commands())
        .containsExactly(new Command.Converge(1, FIRST, List.of(), null));
  }

  @Test
  void aNodeNamesItsKeysOfTheGroupsThatDifferAndContributesThoseThatDo() {
    ControlState state = restoring();
    state = taken(state, withGroup(withGroup(restored(0), 5, 77), 6, 1));
    state = taken(state, withGroup(withGroup(restored(1), 5, 79), 6, 1));
    state = taken(state, withChanged(withGroup(withGroup(restored(2), 5, 77), 6, 1), L));
    NodeControl.Step step = NodeControl.step(state, converge(1));
    KeyGroup group = new KeyGroup("s", List.of(0, 1, 2), 5);
    Restore asked = Restore.newBuilder().setAttempt(1).build();
    assertThat(step.commands()).containsExactly(new Command.Name(1, asked, null, Set.of(group)));
    StoreKey alike = new StoreKey("s", new byte[] {3});
    state = taken(step.next(), named(0, K, 7, alike));
    state = taken(state, named(1, K, 8, alike));
    assertThat(NodeControl.step(state, named(2, K, 7, alike)).commands())
        .containsExactly(
            new Command.Contribute(1, Restore.newBuilder().setAttempt(1).build(), List.of(L, K)));
  }

  private static ControlRecord named(int node, StoreKey key, long digest, StoreKey alike) {
    Named.Builder named = Named.newBuilder().setNode(node).setAttempt(1).setLast(true);
    named.addKeys(message(key).setDigest(digest).setReplicas(NODES));
    return step(1).setNamed(named.addKeys(message(alike).setDigest(9).setReplicas(NODES))).build();
  }

  private static io.palinode.wire.v1.StoreKey.Builder message(StoreKey key) {
    return io.palinode.wire.v1.StoreKey.newBuilder()
        .setStore(key.store())
        .setKey(ByteString.copyFrom(key.key()));
  }

  private static ControlRecord withChanged(ControlRecord restored, StoreKey key) {
    Restored more = restored.getRestored().toBuilder().addChanged(message(key)).build();
    return restored.toBuilder().setRestored(more).build();
  }

  private static ControlRecord withGroup(ControlRecord restored, int group, long digest) {
    KeyGroups groups =
        KeyGroups.newBuilder()
            .setStore("s")
            .addAllNodes(List.of(0, 1, 2))
            .addGroups(group)
            .addDigests(digest)
            .build();
    Restored more = restored.getRestored().toBuilder().addGroups(groups).build();
    return restored.toBuilder().setRestored(more).build();
  }

  @Test
  void stepsThatDoNotFitThePhaseChangeNothing() {
    ControlState restoring = restoring();
    for (ControlRecord record :
        List.of(
            step(1).setResume(Resume.getDefaultInstance()).build(),
            step(1).setRestore(Restore.newBuilder().setAttempt(1).setTarget(7)).build(),
            step(1).setRestore(Restore.newBuilder().setAttempt(2).setTarget(7)).build(),
            step(1).setPlanOpened(PlanOpened.getDefaultInstance()).build(),
            step(2).setPlanOpened(PlanOpened.getDefaultInstance()).build(),
            step(1).setPause(Pause.getDefaultInstance()).build(),
            step(0).setResume(Resume.getDefaultInstance()).build(),
            converge(2),
            step(1).setSafePoint(SafePoint.newBuilder().setHlc(99)).build(),
            ControlRecord.getDefaultInstance())) {
      assertThat(NodeControl.step(restoring, record).next()).isEqualTo(restoring);
    }
  }

  @Test
  void aTimeBetweenTheFirstUndoAndTheNewEpochIsKnownAsHalfUndone() {
    ControlState state = NodeControl.caughtUp(NodeControl.initial(0, NODES, 1)).next();
    state = taken(state, step(1).setPlanOpened(PlanOpened.getDefaultInstance()).build());
    state = taken(state, step(1).setPause(Pause.getDefaultInstance()).build());
    state = taken(state, pausedAt(0, 120));
    state = taken(state, pausedAt(1, 100));
    state = taken(state, pausedAt(2, 110));
    assertThat(state.rollbacks()).isEqualTo(RollbackTimes.NONE);
    state = taken(state, step(1).setRestore(Restore.newBuilder().setAttempt(1)).build());
    assertThat(state.rollbacks().spans())
        .containsExactly(new Span(1, 100, RollbackTimes.NOT_ENDED));
    state = taken(state, converge(1));
    Resume resume = Resume.newBuilder().setAttempt(1).setClock(200).build();
    state = taken(state, step(1).setResume(resume).build());
    RollbackTimes known = state.rollbacks();
    for (long whole : List.of(0L, 100L, 200L, 300L)) {
      known.requireWhole(whole);
    }
    for (long half : List.of(101L, 199L)) {
      assertThatThrownBy(() -> known.requireWhole(half))
          .isInstanceOf(HalfUndoneException.class)
          .hasMessageContaining("by the rollback to epoch 1")
          .hasMessageContaining(
              "up to " + PointInTime.format(100) + ", and from " + PointInTime.format(200));
    }
  }

  private static ControlRecord pausedAt(int node, long hlc) {
    return step(1)
        .setPaused(Paused.newBuilder().setNode(node).setIncarnation(1).setQuietSince(hlc))
        .build();
  }

  private static ControlState restoring() {
    ControlState state = NodeControl.caughtUp(NodeControl.initial(0, NODES, 1)).next();
    state = taken(state, step(1).setPlanOpened(PlanOpened.getDefaultInstance()).build());
    state = taken(state, step(1).setPause(Pause.getDefaultInstance()).build());
    state = taken(state, paused(0, 1));
    return taken(state, step(1).setRestore(Restore.newBuilder().setAttempt(1)).build());
  }

  private static ControlState taken(ControlState state, ControlRecord record) {
    return NodeControl.step(state, record).next();
  }

  @Test
  void theDetectorWatchesTheNewEpochBeforeTheStoreServesIt() {
    ControlState state = NodeControl.caughtUp(NodeControl.initial(0, 1, 1)).next();
    List<ControlRecord> log =
        List.of(
            step(1).setPlanOpened(PlanOpened.getDefaultInstance()).build(),
            step(1).setPause(Pause.getDefaultInstance()).build(),
            step(1).setRestore(Restore.newBuilder().setAttempt(1)).build(),
            step(1).setConverge(io.palinode.wire.v1.Converge.newBuilder().setAttempt(1)).build());
    for (ControlRecord record : log) {
      state = NodeControl.step(state, record).next();
    }
    ControlRecord resume =
        step(1)
            .setResume(Resume.newBuilder().setTarget(5).setSequentialUntilMicros(6).setClock(7))
            .build();
    assertThat(NodeControl.step(state, resume).commands())
        .containsExactly(
            new Command.Watch(1, 7), new Command.Serve(1, 5, 6, MissedEpochs.NONE, List.of()));
  }

  @Test
  void anApprovalThatIsReadAfterARejectionOpensNoPlan() {
    ControlState state = NodeControl.caughtUp(NodeControl.initial(0, NODES, 1)).next();
    LetStand stands = LetStand.newBuilder().setRejects(5).build();
    state = taken(state, step(0).setGate(GateStep.newBuilder().setLetStand(stands)).build());
    ControlRecord.Builder opened = step(1).setPlanOpened(PlanOpened.newBuilder().setApproves(5));
    assertThat(taken(state, opened.build()).plan()).isNull();
    opened.setPlanOpened(PlanOpened.newBuilder().setApproves(6));
    assertThat(taken(state, opened.build()).plan()).isNotNull();
  }

  private static ControlRecord halted(int attempt, int haltsBefore) {
    return step(1)
        .setHalted(Halted.newBuilder().setAttempt(attempt).setHaltsBefore(haltsBefore))
        .build();
  }

  private static ControlRecord resume(int attempt) {
    return step(1).setResume(Resume.newBuilder().setAttempt(attempt)).build();
  }
}
