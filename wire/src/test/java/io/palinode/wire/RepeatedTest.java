package io.palinode.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RepeatedTest {
  @Test
  void aLackOfMemoryOrABugDoesNotEndAPeriodicTask() throws Exception {
    AtomicInteger steps = new AtomicInteger();
    CountDownLatch later = new CountDownLatch(1);
    Repeated task =
        new Repeated(
            "test",
            () -> {
              switch (steps.incrementAndGet()) {
                case 1 -> throw new OutOfMemoryError("thrown by the test");
                case 2 -> throw new IllegalStateException("thrown by the test");
                default -> later.countDown();
              }
            });
    ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
    try {
      var unused = executor.scheduleWithFixedDelay(task, 0, 1, TimeUnit.MILLISECONDS);
      assertThat(later.await(10, TimeUnit.SECONDS)).isTrue();
    } finally {
      executor.shutdownNow();
    }
  }
}
