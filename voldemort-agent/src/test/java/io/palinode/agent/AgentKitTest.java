package io.palinode.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.agent.stock.StandInCluster;
import io.palinode.store.conformance.StoreKit;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The conformance kit on the node of a stand-in for a stock server. */
class AgentKitTest {
  private final AtomicInteger clusters = new AtomicInteger();

  @TempDir Path folder;

  private final StoreKit kit =
      new StoreKit(
          () ->
              new StandInCluster(
                  folder.resolve("cluster" + clusters.getAndIncrement()),
                  node -> new AgentBinding(node, hlc -> {}, () -> false, () -> 0)));

  @Test
  void historiesEqualTheModel() {
    kit.histories(StoreKit.SEEDS / 200);
  }

  @Test
  void aKilledServerFinishesThePlan() {
    kit.crashes(StoreKit.SEEDS / 50);
    assertThat(kit.figures().lostPasts()).isPositive();
  }

  @Test
  void overlappingWritesHaveOneOrder() {
    kit.overlapping(StoreKit.SEEDS / 100);
  }
}
