package io.palinode.benchmarks.online;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.binding.WriteEvent;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MutexTrafficTest {
  private static final Epsilon EPSILON = Epsilon.ofMicros(10_000);

  private final AtomicLong micros = new AtomicLong(1_790_000_000_000_000L);
  private final List<UnstoredNode> nodes =
      IntStream.range(0, 3)
          .mapToObj(node -> new UnstoredNode(node, 3, EPSILON, micros::get))
          .toList();
  private final List<WriteEvent> events = new ArrayList<>();
  private final MutexTraffic traffic = new MutexTraffic(nodes, EPSILON, micros::get);

  @Test
  void everyIntervalHasItsInstanceForItselfUnlessItCompletesAViolation() {
    nodes.forEach(node -> node.listen(events::add));
    for (int candidate = 0; candidate < 2_000; candidate++) {
      // A stall now and then: what was due comes at once.
      micros.addAndGet(candidate % 500 == 0 ? 300_000 : 1_000);
      traffic.begin(candidate, 20);
    }
    traffic.endAll();
    assertThat(events).hasSize(4_000);
    assertThat(together()).isEqualTo(20);
    assertThat(traffic.instances()).isLessThan(200);
  }

  @Test
  void noInstanceIsUsedAgainBeforeThereWereSoMany() {
    for (int candidate = 0; candidate < 600; candidate++) {
      micros.addAndGet(1_000_000);
      traffic.begin(candidate, 5, 400);
    }
    assertThat(traffic.instances()).isEqualTo(400);
  }

  /** Pairs of intervals of one instance that are less than 2ε apart. */
  private long together() {
    Map<String, List<long[]>> byInstance = new HashMap<>();
    Map<String, Long> open = new HashMap<>();
    for (WriteEvent event : events) {
      String key = new String(event.key().key(), StandardCharsets.UTF_8);
      long at = Hlc.micros(event.after().own());
      Long start = open.remove(key);
      if (start == null) {
        open.put(key, at);
      } else {
        byInstance
            .computeIfAbsent(key.substring(0, key.length() - 2), instance -> new ArrayList<>())
            .add(new long[] {start, at});
      }
    }
    return byInstance.values().stream().mapToLong(MutexTrafficTest::pairs).sum();
  }

  private static long pairs(List<long[]> intervals) {
    long pairs = 0;
    for (int i = 0; i < intervals.size(); i++) {
      for (int j = 0; j < i; j++) {
        boolean apart =
            intervals.get(j)[1] + 20_000 < intervals.get(i)[0]
                || intervals.get(i)[1] + 20_000 < intervals.get(j)[0];
        pairs += apart ? 0 : 1;
      }
    }
    return pairs;
  }
}
