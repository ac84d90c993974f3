package io.palinode.voldemort;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.store.conformance.StoreKit;
import io.palinode.voldemort.TestNodes.Medium;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The conformance kit on our node, in memory and over Berkeley DB. */
class VoldemortKitTest {
  private final AtomicInteger clusters = new AtomicInteger();

  @TempDir Path folder;

  private StoreKit kit(Medium medium, boolean keepsPast) {
    return new StoreKit(
        () ->
            new KitCluster(
                medium, folder.resolve("cluster" + clusters.getAndIncrement()), keepsPast));
  }

  @Test
  void itsRulesKeepTheirLaws() {
    kit(Medium.MEMORY, false).rules(StoreKit.SEEDS);
  }

  @Test
  void historiesInMemoryEqualTheModel() {
    kit(Medium.MEMORY, false).histories(StoreKit.SEEDS / 2);
  }

  @Test
  void historiesOverBerkeleyDbEqualTheModel() {
    kit(Medium.BDB, true).histories(StoreKit.SEEDS / 100);
  }

  /** It has a copy that arrives after the delete of its version, and replicas that are equal. */
  @Test
  void aDeleteCoversAVersionThatAllReplicasHave() {
    kit(Medium.BDB, true).history(64);
  }

  @Test
  void aKilledNodeThatLostItsPastFinishesThePlan() {
    StoreKit kit = kit(Medium.MEMORY, false);
    kit.crashes(StoreKit.SEEDS / 2);
    assertThat(kit.figures().lostPasts()).isPositive();
  }

  @Test
  void aKilledNodeThatKeptItsPastRestoresTheSameCut() {
    StoreKit kit = kit(Medium.BDB, true);
    kit.crashes(StoreKit.SEEDS / 100);
    assertThat(kit.figures().lostPasts()).isZero();
  }

  @Test
  void overlappingWritesHaveOneOrder() {
    kit(Medium.MEMORY, false).overlapping(StoreKit.SEEDS / 100);
  }
}
