package io.palinode.store.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.ring.Emission;
import io.palinode.detector.ring.Emission.Opened;
import io.palinode.detector.ring.Emission.Progress;
import io.palinode.store.control.SimulatedCluster.Node;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The emissions of nodes around a change of epoch, with any node late. */
class EpochChangeTest {
  private static final int NODES = 3;

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 80);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void intervalsFoundInAScanOpenAtOneHlcBeforeAnyNodeServesTheEpoch(long seed) {
    SimulatedCluster cluster = new SimulatedCluster(NODES, seed);
    for (int epoch = 1; epoch <= 3; epoch++) {
      rollBack(cluster, epoch);
      for (Node node : cluster.nodes) {
        checkOrder(node);
        for (Emission emission : node.emitted) {
          if (emission.epoch() == epoch && emission instanceof Opened opened) {
            assertThat(opened.hlc()).as("seed=%d", seed).isEqualTo(cluster.clockOf(epoch) + 1);
          }
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void noProgressExceedsALaterEventThoughNodesCrash(long seed) {
    SimulatedCluster cluster = new SimulatedCluster(NODES, seed);
    Random crashes = new Random(-seed);
    cluster.nodes.forEach(node -> node.crashes = () -> crashes.nextInt(12) == 0);
    for (int epoch = 1; epoch <= 3; epoch++) {
      rollBack(cluster, epoch);
      cluster.nodes.forEach(EpochChangeTest::checkOrder);
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void noProgressExceedsALaterEventThoughCommandsFail(long seed) {
    SimulatedCluster cluster = new SimulatedCluster(NODES, seed);
    Random failures = new Random(-seed);
    for (int epoch = 1; epoch <= 2; epoch++) {
      cluster.nodes.forEach(node -> node.store().failNext(failures.nextInt(8)));
      rollBack(cluster, epoch);
      cluster.nodes.forEach(EpochChangeTest::checkOrder);
    }
  }

  private static void rollBack(SimulatedCluster cluster, int epoch) {
    cluster.work(cluster.random.nextInt(150));
    long first = cluster.now() - (cluster.random.nextInt(300) << 12);
    cluster.rollBack(
        epoch,
        cluster.random.nextBoolean()
            ? List.of(first)
            : List.of(first, first - (cluster.random.nextInt(200) << 12)));
    cluster.check(epoch);
  }

  private static void checkOrder(Node node) {
    long reached = 0;
    for (Emission emission : node.emitted) {
      if (emission instanceof Progress progress) {
        assertThat(progress.hvc().own()).isGreaterThanOrEqualTo(reached);
        reached = progress.hvc().own() + 1;
      } else if (emission instanceof Emission.Event event) {
        assertThat(event.hlc()).as("node=%d %s", node.id, event).isGreaterThanOrEqualTo(reached);
        reached = event.hlc();
      }
    }
  }
}
