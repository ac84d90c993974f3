package io.palinode.voldemort;

import static io.palinode.voldemort.TestNodes.key;
import static io.palinode.voldemort.TestNodes.version;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.binding.Version;
import io.palinode.store.past.PastChange;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The history of a key while another thread writes it. */
class KeyHistoryTest {
  private static final int CHANGES = 20_000;

  @Test
  void eachChangeFollowsTheOneBeforeWhileTheKeyIsWritten() throws Exception {
    StoreNode node = TestNodes.inMemory(TestNodes.clock());
    try {
      AtomicInteger written = new AtomicInteger();
      Thread writer =
          new Thread(
              () -> {
                try {
                  while (written.get() >= 0) {
                    int next = written.incrementAndGet();
                    if (next > 0) {
                      node.writes().put(key("k"), version("v" + next, next), Caller.STOCK);
                    }
                  }
                } catch (RefusedException e) {
                  throw new IllegalStateException(e);
                }
              });
      writer.start();
      try {
        long from = node.clock().tick().own();
        for (int found = 0; found < CHANGES; ) {
          List<PastChange> changes = node.past().history(key("k"), from, Long.MAX_VALUE).changes();
          from = node.clock().tick().own();
          found += changes.size();
          for (PastChange change : changes) {
            assertThat(number(change.after())).isEqualTo(number(change.before()) + 1);
          }
        }
      } finally {
        written.set(Integer.MIN_VALUE);
        writer.join();
      }
    } finally {
      node.close();
    }
  }

  private static int number(List<Version> versions) {
    return versions.isEmpty()
        ? 0
        : Integer.parseInt(
            TestNodes.texts(versions.stream().map(VoldemortRules::versioned).toList())
                .get(0)
                .substring(1));
  }
}
