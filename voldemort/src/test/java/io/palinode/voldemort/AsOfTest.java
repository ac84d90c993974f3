package io.palinode.voldemort;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
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
      node.put(TestNodes.key("k"), TestNodes.version("v1", 1), Caller.STOCK);
      long at = Hlc.ofMicros(clock.get() + 50_000);
      engine.duringNextRead = () -> put(node);
      var first = TestNodes.texts(node.getAsOf(TestNodes.key("k"), at, Caller.STOCK).value());
      var second = TestNodes.texts(node.getAsOf(TestNodes.key("k"), at, Caller.STOCK).value());
      assertThat(first).isEqualTo(second);
    }
  }

  private static void put(StoreNode node) {
    try {
      node.put(TestNodes.key("k"), TestNodes.version("v2", 2), Caller.STOCK);
    } catch (RefusedException e) {
      throw new IllegalStateException(e);
    }
  }
}
