package io.palinode.store.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.store.control.SimulatedCluster.Node;
import io.palinode.wire.v1.Halted;
import io.palinode.wire.v1.Pause;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Resume;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Plans of a simulated cluster with crashes and failures. */
class RandomPlansTest extends NodeControlFixture {
  static LongStream seeds() {
    return LongStream.rangeClosed(1, Math.min(400, Integer.getInteger("palinode.seeds", 40)));
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
      ClusterCheck check = new ClusterCheck(cluster);
      for (Node node : cluster.nodes) {
        assertThat(check.acknowledgedHolding(epoch, targets.size(), node.id))
            .isEqualTo(ClusterCheck.oracleHolding(node));
        check.checkSince(epoch, targets.size(), node);
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
}
