package io.palinode.store.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The kit on the smallest store. */
class LastWriteWinsKitTest {
  private final StoreKit kit = new StoreKit(() -> new LastWriteWins(MergingNode::of, null));

  @TempDir Path folder;

  @Test
  void itsRulesKeepTheirLaws() {
    kit.rules(StoreKit.SEEDS);
  }

  @Test
  void itsHistoriesEqualTheModel() {
    kit.histories(StoreKit.SEEDS / 2);
    assertThat(kit.figures().restores()).isGreaterThan(5 * StoreKit.SEEDS);
  }

  @Test
  void aKilledNodeThatLostItsPastFinishesThePlan() {
    kit.crashes(StoreKit.SEEDS / 2);
    assertThat(kit.figures().lostPasts()).isPositive();
  }

  @Test
  void aKilledNodeThatKeptItsPastRestoresTheSameCut() {
    AtomicInteger clusters = new AtomicInteger();
    StoreKit onDisk =
        new StoreKit(
            () ->
                new LastWriteWins(
                    MergingNode::of, folder.resolve("cluster" + clusters.getAndIncrement())));
    onDisk.crashes(StoreKit.SEEDS / 100);
    assertThat(onDisk.figures().lostPasts()).isZero();
  }

  @Test
  void overlappingWritesHaveOneOrder() {
    kit.overlapping(StoreKit.SEEDS / 100);
  }
}
