package io.palinode.orchestrator.kafka;

import io.palinode.orchestrator.snapshot.SnapshotSettings;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class SnapshotDeskTest {
  private final AtomicInteger asked = new AtomicInteger();

  @Test
  void aTickThatFailsIsNotTheLastOne() {
    try (SnapshotRequests desk =
        new SnapshotRequests(SnapshotSettings.of(3), this::micros, step -> {}, () -> {})) {
      desk.start();
      Awaitility.await("ticks after those that failed")
          .atMost(Duration.ofSeconds(10))
          .until(() -> asked.get() > 6);
    }
  }

  private long micros() {
    int time = asked.getAndIncrement();
    if (time > 1 && time < 5) {
      throw new IllegalStateException("a bug");
    }
    return time;
  }
}
