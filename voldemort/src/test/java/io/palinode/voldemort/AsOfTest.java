package io.palinode.voldemort;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.hvc.Hlc;
import io.palinode.retroscope.snapshot.RollbackTimes;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class AsOfTest {
  /** The time is ahead of the node's clock, so that the write is still before it. */
  @Test
  void whatIsReadOfATimeStaysSoWhateverIsWrittenMeanwhile() throws RefusedException {
    AtomicLong clock = TestNodes.clock();
    ProbedEngine engine = new ProbedEngine(TestNodes.Medium.MEMORY.open(Path.of("unused")));
    try (StoreNode node = new StoreNode(TestNodes.config(), engine, clock::get)) {
      node.writes().put(TestNodes.key("k"), TestNodes.version("v1", 1), Caller.STOCK);
      long at = Hlc.ofMicros(clock.get() + 50_000);
      engine.duringNextRead = () -> put(node);
      var first =
          TestNodes.texts(node.reads().getAsOf(TestNodes.key("k"), at, Caller.STOCK).value());
      var second =
          TestNodes.texts(node.reads().getAsOf(TestNodes.key("k"), at, Caller.STOCK).value());
      assertThat(first).isEqualTo(second);
    }
  }

  @Test
  void aTimeWithinARollbackIsRefusedByName() throws RefusedException {
    AtomicLong clock = TestNodes.clock();
    try (StoreNode node = TestNodes.inMemory(clock)) {
      long accepted =
          node.writes()
              .put(TestNodes.key("k"), TestNodes.version("v1", 1), Caller.STOCK)
              .acceptedAt();
      clock.addAndGet(1_000);
      node.rollbacks(
          RollbackTimes.NONE.with(new RollbackTimes.Span(4, accepted, RollbackTimes.NOT_ENDED)));
      assertThat(
              TestNodes.texts(
                  node.reads().getAsOf(TestNodes.key("k"), accepted, Caller.STOCK).value()))
          .containsExactly("v1");
      assertThatThrownBy(() -> node.reads().getAsOf(TestNodes.key("k"), accepted + 1, Caller.STOCK))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("half undone, by the rollback to epoch 4");
    }
  }

  private static void put(StoreNode node) {
    try {
      node.writes().put(TestNodes.key("k"), TestNodes.version("v2", 2), Caller.STOCK);
    } catch (RefusedException e) {
      throw new IllegalStateException(e);
    }
  }
}
