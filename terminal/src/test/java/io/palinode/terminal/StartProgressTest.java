package io.palinode.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class StartProgressTest {
  private final List<String> lines = new CopyOnWriteArrayList<>();

  @Test
  void aStartThatTakesLongNamesItsStepUntilItIsOver() {
    try (StartProgress progress =
        StartProgress.of("starting Flink", lines::add, Duration.ofMillis(5))) {
      await().until(() -> lines.contains("still starting Flink after 0 s; Ctrl-C stops"));
      progress.step("starting node 1");
      await().until(() -> lines.contains("still starting node 1 after 0 s; Ctrl-C stops"));
    }
  }

  @Test
  void aStartWithoutALimitEndsWhenItIsAskedTo() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    AtomicBoolean ended = new AtomicBoolean();
    Thread starter =
        new Thread(
            () -> {
              try {
                never.await();
              } catch (InterruptedException asked) {
                ended.set(true);
              }
            });
    starter.start();
    StartStop stop = new StartStop(starter);
    assertThat(stop.isAsked()).isFalse();
    stop.now();
    starter.join();
    assertThat(ended).isTrue();
    assertThat(stop.isAsked()).isTrue();
  }

  @Test
  void aPartThatHasStartedIsNotInterrupted() throws Exception {
    StartStop stop = new StartStop(Thread.currentThread());
    assertThat(stop.await(Duration.ZERO)).isFalse();
    stop.now();
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    assertThat(stop.await(StartProgress.NO_LIMIT)).isTrue();
  }
}
