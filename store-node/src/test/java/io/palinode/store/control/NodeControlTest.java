package io.palinode.store.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.palinode.detector.binding.StoreKey;
import io.palinode.hvc.Hlc;
import io.palinode.retroscope.snapshot.RollbackTimes;
import io.palinode.retroscope.snapshot.RollbackTimes.Span;
import io.palinode.retroscope.snapshot.file.HalfUndoneException;
import io.palinode.store.affected.Affected;
import io.palinode.store.affected.Extent;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.store.control.SimulatedCluster.Node;
import io.palinode.wire.v1.AccessKind;
import io.palinode.wire.v1.Accessed;
import io.palinode.wire.v1.Cancel;
import io.palinode.wire.v1.ClientAccesses;
import io.palinode.wire.v1.Contribution;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converge;
import io.palinode.wire.v1.Converged;
import io.palinode.wire.v1.GateStep;
import io.palinode.wire.v1.Halted;
import io.palinode.wire.v1.KeyGroups;
import io.palinode.wire.v1.LetStand;
import io.palinode.wire.v1.Moment;
import io.palinode.wire.v1.Named;
import io.palinode.wire.v1.NodeJoined;
import io.palinode.wire.v1.Pause;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Restored;
import io.palinode.wire.v1.Resume;
import io.palinode.wire.v1.Retry;
import io.palinode.wire.v1.SafePoint;
import io.palinode.wire.v1.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class NodeControlTest {
  private static final int NODES = 3;
  private static final StoreKey K = new StoreKey("s", new byte[] {1});
  private static final StoreKey L = new StoreKey("s", new byte[] {2});

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 80);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void aRollbackRestoresAllReplicasToTheTarget(long seed) {
    SimulatedCluster cluster = new SimulatedCluster(NODES, seed);
    runPlans(cluster, 3);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void nodesThatCrashAnywhereFinishThePlan(long seed) {
    SimulatedCluster cluster = new SimulatedCluster(NODES, seed);
    Random crashes = new Random(-seed);
    cluster.nodes.forEach(node -> node.crashes = () -> crashes.nextInt(12) == 0);
    runPlans(cluster, 3);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void commandsThatFailAreRepeated(long seed) {
    SimulatedCluster cluster = new SimulatedCluster(NODES, seed);
    Random failures = new Random(-seed);
    cluster.work(30);
    cluster.nodes.forEach(node -> node.store().failNext(failures.nextInt(8)));
    runPlans(cluster, 2);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void aHaltedPlanEndsOnAllNodesAsTheOperatorDecided(long seed) {
    SimulatedCluster cluster = new SimulatedCluster(NODES, seed);
    Random crashes = new Random(-seed);
    cluster.nodes.forEach(node -> node.crashes = () -> crashes.nextInt(12) == 0);
    for (int epoch = 1; epoch <= 3; epoch++) {
      cluster.work(cluster.random.nextInt(150));
      long target = cluster.now() - (cluster.random.nextInt(300) << 12);
      cluster.haltAndFinish(epoch, target, cluster.random.nextBoolean());
      cluster.check(epoch);
    }
  }

  @Test
  void aNodeThatCrashesAtAnyOneOfItsStepsFinishesThePlan() {
    int points = crashPointsOfOnePlan();
    assertThat(points).isGreaterThan(10);
    for (int point = 0; point < points; point++) {
      SimulatedCluster cluster = new SimulatedCluster(NODES, 7);
      Node victim = cluster.nodes.get(1);
      int[] left = {point};
      victim.crashes = () -> left[0]-- == 0;
      cluster.work(100);
      cluster.rollBack(1, List.of(cluster.now() - SimulatedCluster.WINDOW / 8));
      cluster.check(1);
    }
  }

  private static int crashPointsOfOnePlan() {
    SimulatedCluster cluster = new SimulatedCluster(NODES, 7);
    Node victim = cluster.nodes.get(1);
    int before = victim.crashPoints;
    cluster.work(100);
    cluster.rollBack(1, List.of(cluster.now() - SimulatedCluster.WINDOW / 8));
    return victim.crashPoints - before;
  }

  private static void runPlans(SimulatedCluster cluster, int plans) {
    for (int epoch = 1; epoch <= plans; epoch++) {
      cluster.work(cluster.random.nextInt(150));
      long first = cluster.now() - (cluster.random.nextInt(300) << 12);
      List<Long> targets =
          cluster.random.nextBoolean()
              ? List.of(first)
              : List.of(first, first - (cluster.random.nextInt(200) << 12));
      cluster.rollBack(epoch, targets);
      cluster.check(epoch);
      for (Node node : cluster.nodes) {
        assertThat(cluster.acknowledgedHolding(epoch, targets.size(), node.id))
            .isEqualTo(cluster.oracleHolding(node));
      }
    }
  }

  @Test
  void aRestoreOutOfReachIsAcknowledgedAndTheNodeStaysPaused() {
    SimulatedCluster cluster = new SimulatedCluster(NODES, 1);
    cluster.work(50);
    long target = cluster.now() - (10 << 12);
    cluster.nodes.get(2).loseWindowLog();
    cluster.publish(step(1).setPlanOpened(PlanOpened.newBuilder().setTarget(target)));
    cluster.publish(step(1).setPause(Pause.getDefaultInstance()));
    cluster.publish(step(1).setRestore(Restore.newBuilder().setAttempt(1).setTarget(target)));
    cluster.settle();
    assertThat(cluster.count(r -> !r.getRestored().getFailure().isEmpty())).isEqualTo(1);
    cluster.publish(step(1).setHalted(Halted.newBuilder().setReason("out of reach")));
    // A resume of a plan that was halted is another orchestrator's mistake, and so is a restore.
    cluster.publish(step(1).setRestore(Restore.newBuilder().setAttempt(2).setTarget(target)));
    cluster.publish(step(1).setResume(Resume.getDefaultInstance()));
    cluster.settle();
    cluster.nodes.get(1).start();
    cluster.settle();
    assertThat(cluster.nodes).noneMatch(node -> node.store().isServing());
  }

  @Test
  void anAbandonedPlanKeepsTheDataEvenIfTheTargetIsOutOfReach() {
    SimulatedCluster cluster = new SimulatedCluster(NODES, 1);
    cluster.work(50);
    cluster.nodes.get(2).loseWindowLog();
    cluster.haltAndFinish(1, cluster.now() - (10 << 12), true);
    cluster.check(1);
  }

  @Test
  void aPlanThatIsCancelledBeforeItsFirstRestoreOnlyKeeps() {
    List<ControlRecord> log = new ArrayList<>();
    log.add(step(1).setPlanOpened(PlanOpened.getDefaultInstance()).build());
    log.add(step(1).setCancel(Cancel.getDefaultInstance()).build());
    assertThat(commandsAtStart(log, 5))
        .as("the pause is still to come")
        .contains(new Command.Serve(0, 0, 0, MissedEpochs.NONE, List.of()));
    log.add(step(1).setPause(Pause.getDefaultInstance()).build());
    log.add(step(1).setRestore(Restore.newBuilder().setAttempt(1).setTarget(9)).build());
    assertThat(commandsAtStart(log, 5)).doesNotContain(new Command.Restore(1, 1, 9, 0));
    log.add(
        step(1).setRestore(Restore.newBuilder().setAttempt(1).setTarget(9).setKeep(true)).build());
    Restore kept = log.get(log.size() - 1).getRestore();
    assertThat(commandsAtStart(log, 5)).contains(new Command.Keep(1, kept));
  }

  @Test
  void aCancelAfterTheFirstRestoreChangesNothing() {
    List<ControlRecord> log = new ArrayList<>();
    log.add(step(1).setPlanOpened(PlanOpened.getDefaultInstance()).build());
    log.add(step(1).setPause(Pause.getDefaultInstance()).build());
    log.add(step(1).setRestore(Restore.newBuilder().setAttempt(1).setTarget(9).setPast(7)).build());
    log.add(step(1).setCancel(Cancel.getDefaultInstance()).build());
    assertThat(commandsAtStart(log, 5)).contains(new Command.Restore(1, 1, 9, 7));
  }

  @Test
  void aNodeThatStartsWithoutAPlanServesTheEpochOfTheLog() {
    SimulatedCluster cluster = new SimulatedCluster(NODES, 2);
    cluster.work(20);
    cluster.rollBack(1, List.of(cluster.now()));
    cluster.publishSafePoint(1, 42);
    cluster.settle();
    Node node = cluster.nodes.get(0);
    node.start();
    assertThat(node.store().isServing()).isTrue();
    assertThat(node.store().epoch()).isEqualTo(1);
    assertThat(node.store().lastSafePoint()).isEqualTo(42);
    assertThat(cluster.count(r -> r.hasNodeJoined() && r.getNodeJoined().getNode() == 0))
        .isEqualTo(2);
  }

  @Test
  void aNodeThatStartsInAPlanPausesBeforeItJoinsAndServesNothing() {
    List<ControlRecord> log =
        List.of(
            step(1).setPlanOpened(PlanOpened.getDefaultInstance()).build(),
            step(1).setPause(Pause.getDefaultInstance()).build(),
            paused(0, 4));
    assertThat(commandsAtStart(log, 5))
        .containsExactly(new Command.Pause(1), new Command.Watch(0, 0), new Command.Join(0));
  }

  @Test
  void aPlanThatHasNotPausedYetLeavesNodesServing() {
    List<ControlRecord> log =
        List.of(step(1).setPlanOpened(PlanOpened.getDefaultInstance()).build());
    assertThat(commandsAtStart(log, 5))
        .containsExactly(
            new Command.Watch(0, 0),
            new Command.Serve(0, 0, 0, MissedEpochs.NONE, List.of()),
            new Command.Join(0));
  }

  @Test
  void aDutyAcknowledgedByAnEarlierIncarnationIsNotRepeated() {
    List<ControlRecord> log = new ArrayList<>();
    log.add(step(1).setPlanOpened(PlanOpened.getDefaultInstance()).build());
    log.add(step(1).setPause(Pause.getDefaultInstance()).build());
    log.add(step(1).setRestore(Restore.newBuilder().setAttempt(1).setTarget(9)).build());
    log.add(
        step(1).setRestored(Restored.newBuilder().setNode(0).setAttempt(1)).build()); // Not last.
    assertThat(commandsAtStart(log, 5))
        .containsExactly(
            new Command.Pause(1),
            new Command.Watch(0, 0),
            new Command.Join(0),
            new Command.Restore(1, 1, 9, 0));
    log.add(
        step(1).setRestored(Restored.newBuilder().setNode(0).setAttempt(1).setLast(true)).build());
    assertThat(commandsAtStart(log, 5))
        .containsExactly(new Command.Pause(1), new Command.Watch(0, 0), new Command.Join(0));
  }

  @Test
  void aNodeThatStartsAfterItHasConvergedPublishesNothingInTheOldEpoch() {
    List<ControlRecord> log = new ArrayList<>();
    log.add(step(1).setPlanOpened(PlanOpened.getDefaultInstance()).build());
    log.add(step(1).setPause(Pause.getDefaultInstance()).build());
    log.add(step(1).setRestore(Restore.newBuilder().setAttempt(1).setTarget(9)).build());
    for (int node = 0; node < NODES; node++) {
      log.add(restored(node));
    }
    log.add(converge(1));
    for (int node = 0; node < NODES; node++) {
      log.add(contributed(node));
    }
    log.add(
        step(1)
            .setConverged(Converged.newBuilder().setNode(0).setAttempt(1).setLast(true))
            .build());
    assertThat(commandsAtStart(log, 5)).containsExactly(new Command.Pause(1), new Command.Join(0));
    // A second attempt: the old epoch may be asked for once more.
    log.add(step(1).setRestore(Restore.newBuilder().setAttempt(2).setTarget(8)).build());
    assertThat(commandsAtStart(log, 5))
        .containsExactly(
            new Command.Pause(1),
            new Command.Watch(0, 0),
            new Command.Join(0),
            new Command.Restore(1, 2, 8, 0));
  }

  @Test
  void aPartialRestoreWaitsForTheAccessesOfAllNodes() {
    Restore asked =
        Restore.newBuilder()
            .setAttempt(1)
            .setTarget(9)
            .setAffected(
                Scope.newBuilder()
                    .addWitnesses(Moment.newBuilder().setHlc(10))
                    .setClientsMax(1)
                    .setPercentMax(100))
            .build();
    List<ControlRecord> log = new ArrayList<>();
    log.add(step(1).setPlanOpened(PlanOpened.getDefaultInstance()).build());
    log.add(step(1).setPause(Pause.getDefaultInstance()).build());
    log.add(step(1).setRestore(asked).build());
    assertThat(commandsAtStart(log, 5)).contains(new Command.TellAccesses(1, asked));
    log.add(accessed(0, 10, true));
    log.add(accessed(1, 0, false));
    log.add(accessed(2, 0, true));
    assertThat(commandsAtStart(log, 5))
        .containsExactly(new Command.Pause(1), new Command.Watch(0, 0), new Command.Join(0));
    log.add(accessed(1, 0, true));
    Extent extent = new Affected(Map.of(7L, 9L), Map.of("c", 9L));
    assertThat(commandsAtStart(log, 5)).contains(new Command.RestoreSome(1, asked, extent));
    log.add(step(1).setAccessed(Accessed.newBuilder().setAttempt(1).setTooMany(9)).build());
    assertThat(commandsAtStart(log, 5))
        .as("a later acknowledgement changes nothing")
        .contains(new Command.RestoreSome(1, asked, extent));
  }

  @Test
  void anAttemptThatKeepsOrComparesAllKeysIsNotPartial() {
    Scope scope = Scope.getDefaultInstance();
    Restore keep = Restore.newBuilder().setAttempt(1).setAffected(scope).setKeep(true).build();
    Restore whole = Restore.newBuilder().setAttempt(1).setAffected(scope).setWhole(true).build();
    assertThat(Attempt.of(keep).isOfSome()).isFalse();
    assertThat(Attempt.of(whole).isOfSome()).isFalse();
    assertThat(Attempt.of(keep).extent()).isNull();
  }

  /** If {@code writtenAt} is not 0, client c wrote key 7 then. */
  private static ControlRecord accessed(int node, long writtenAt, boolean last) {
    Accessed.Builder accessed = Accessed.newBuilder().setNode(node).setAttempt(1).setLast(last);
    if (writtenAt > 0) {
      accessed.addClients(
          ClientAccesses.newBuilder()
              .setClient("c")
              .addKinds(AccessKind.ACCESS_KIND_WRITE)
              .addHlcs(writtenAt)
              .addKeys(7)
              .addWrites(8));
    }
    return step(1).setAccessed(accessed).build();
  }

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
  void aNodeJoinsAlsoWhenTheLogNamesItsIncarnationFromBefore() {
    assertThat(commandsAtStart(List.of(joined(0, 5)), 5)).contains(new Command.Join(0));
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
    Command contribute =
        new Command.Contribute(1, Restore.newBuilder().setAttempt(1).build(), List.of(K));
    assertThat(step.commands()).containsExactly(contribute);
    assertThat(taken(step.next(), withChanged(restored(2), L)))
        .as("later keys are not compared")
        .isEqualTo(step.next());
    state = taken(step.next(), contributed(2));
    state = taken(state, contributed(1));
    assertThat(NodeControl.step(state, contributed(0)).commands())
        .containsExactly(new Command.Converge(1, 1, List.of(), null));
  }

  @Test
  void nodesWithEqualDigestsExchangeNothing() {
    ControlState state = restoring();
    for (int node = 0; node < NODES; node++) {
      state = taken(state, withGroup(restored(node), 5, 77));
    }
    assertThat(NodeControl.step(state, converge(1)).commands())
        .containsExactly(new Command.Converge(1, 1, List.of(), null));
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
          .hasMessageContaining("up to " + Hlc.format(100) + ", and from " + Hlc.format(200));
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

  private static ControlRecord restored(int node) {
    return step(1)
        .setRestored(Restored.newBuilder().setNode(node).setAttempt(1).setLast(true))
        .build();
  }

  private static ControlRecord converge(int attempt) {
    return step(1).setConverge(Converge.newBuilder().setAttempt(attempt)).build();
  }

  private static ControlRecord contributed(int node) {
    return step(1)
        .setContribution(Contribution.newBuilder().setNode(node).setAttempt(1).setLast(true))
        .build();
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

  @Test
  void aServingNodeReceivesTheEpochsBeforeTheSafePoint() {
    List<ControlRecord> log = new ArrayList<>();
    log.add(step(0).setSafePoint(SafePoint.newBuilder().setHlc(100)).build());
    plan(log, 1, 60);
    plan(log, 2, 120);
    log.add(step(2).setSafePoint(SafePoint.newBuilder().setHlc(150)).build());
    plan(log, 3, 140);
    plan(log, 4, 150);
    assertThat(commandsAtStart(log, 1))
        .contains(new Command.Serve(4, 150, 0, new MissedEpochs(0, 3, 60), List.of()));
  }

  private static void plan(List<ControlRecord> log, long epoch, long target) {
    log.add(step(epoch).setPlanOpened(PlanOpened.getDefaultInstance()).build());
    log.add(step(epoch).setPause(Pause.getDefaultInstance()).build());
    log.add(step(epoch).setRestore(Restore.newBuilder().setAttempt(1)).build());
    log.add(step(epoch).setConverge(Converge.newBuilder().setAttempt(1)).build());
    log.add(step(epoch).setResume(Resume.newBuilder().setTarget(target)).build());
  }

  private static List<Command> commandsAtStart(List<ControlRecord> log, long incarnation) {
    ControlState state = NodeControl.initial(0, NODES, incarnation);
    for (ControlRecord record : log) {
      state = NodeControl.step(state, record).next();
    }
    return NodeControl.caughtUp(state).commands();
  }

  private static ControlRecord halted(int attempt, int haltsBefore) {
    return step(1)
        .setHalted(Halted.newBuilder().setAttempt(attempt).setHaltsBefore(haltsBefore))
        .build();
  }

  private static ControlRecord resume(int attempt) {
    return step(1).setResume(Resume.newBuilder().setAttempt(attempt)).build();
  }

  private static ControlRecord joined(int node, long incarnation) {
    return step(0)
        .setNodeJoined(NodeJoined.newBuilder().setNode(node).setIncarnation(incarnation))
        .build();
  }

  private static ControlRecord paused(int node, long incarnation) {
    return step(1).setPaused(Paused.newBuilder().setNode(node).setIncarnation(incarnation)).build();
  }

  private static ControlRecord.Builder step(long epoch) {
    return ControlRecord.newBuilder().setEpoch(epoch);
  }
}
