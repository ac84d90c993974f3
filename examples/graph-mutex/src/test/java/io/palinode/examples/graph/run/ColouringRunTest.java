package io.palinode.examples.graph.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.palinode.examples.graph.ColouringCheck;
import io.palinode.examples.graph.Graph;
import io.palinode.examples.graph.Graphs;
import io.palinode.examples.graph.Keys;
import io.palinode.examples.graph.truth.Truth;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ColouringRunTest {
  private static final int CLIENTS = 4;

  private final Graph karate = Graphs.parse("karate");
  private final HistoryStore store = new HistoryStore();

  @Test
  void runWithThreadsColoursTheGraphAndReportsItsCost() throws Exception {
    RunConfig config = RunConfig.of(karate, CLIENTS, 4, 1);
    try (ColouringRun run = new ColouringRun(config, client -> store.connect())) {
      run.start();
      assertThat(run.awaitEnd(Duration.ofSeconds(30))).isTrue();
      RunResult result = run.await();
      assertThat(result.done().tasks()).isEqualTo(4 * 34);
      assertThat(result.done().operations()).isGreaterThan(4 * 34 * 21);
      assertThat(result.done().wasted()).isZero();
      assertThat(result.rollbacks()).isEmpty();
      assertThat(result.elapsed()).isPositive();
      assertThat(result.written()).isPositive().isLessThanOrEqualTo(result.elapsed());
      assertThat(result.logs()).hasSize(CLIENTS);
      assertThat(Truth.of(result.logs()).overlaps()).isEmpty();
      assertThat(Truth.of(result.logs()).sameColours()).isEmpty();
      assertThat(run.progress().tasks()).isEqualTo(run.progress().tasksTotal());
      assertRight();
    }
  }

  @Test
  void runGoesOnAfterRollbacks() throws Exception {
    store.onOperation(
        operation -> {
          // Before any client can be done: this store calls everything safe.
          if (operation % 400 == 300 && operation < 40 * 8 * 5) {
            store.takeBackTo(store.now() - 50);
          }
        });
    RunConfig config = RunConfig.of(karate, CLIENTS, 40, 1).withWorkOperations(4);
    try (ColouringRun run = new ColouringRun(config, client -> store.connect())) {
      run.start();
      RunResult result = run.await();
      assertThat(result.done().tasks()).isEqualTo(40 * 34);
      assertThat(result.rollbacks()).isNotEmpty().doesNotHaveDuplicates();
      assertThat(result.done().wasted()).isPositive();
      assertRight();
    }
  }

  @Test
  void failureOfAClientStopsAllAndIsTheRunsFailure() {
    store.onOperation(
        operation -> {
          if (operation == 500) {
            throw new IllegalStateException("disk full");
          }
        });
    RunConfig config = RunConfig.of(karate, CLIENTS, 1_000, 1);
    try (ColouringRun run = new ColouringRun(config, client -> store.connect())) {
      run.start();
      assertThatExceptionOfType(RunFailedException.class)
          .isThrownBy(run::await)
          .withMessageMatching("client \\d of the colouring failed: disk full");
    }
  }

  @Test
  void clientThatCannotConnectStopsAll() {
    try (ColouringRun run =
        new ColouringRun(
            RunConfig.of(karate, CLIENTS, 1, 1),
            client -> {
              if (client == 2) {
                throw new IllegalStateException("no node answers");
              }
              return store.connect();
            })) {
      run.start();
      assertThatExceptionOfType(RunFailedException.class)
          .isThrownBy(run::await)
          .withMessage("client 2 of the colouring failed: no node answers");
    }
  }

  @Test
  void closeStopsARunThatIsUnderWay() throws Exception {
    CountDownLatch underWay = new CountDownLatch(1);
    store.onOperation(operation -> underWay.countDown());
    ColouringRun run =
        new ColouringRun(RunConfig.of(karate, CLIENTS, 10_000, 1), client -> store.connect());
    run.start();
    underWay.await();
    await().until(() -> run.progress().operations() > 0);
    assertThat(run.awaitEnd(Duration.ofMillis(1))).isFalse();
    run.close();
    assertThatExceptionOfType(CancellationException.class).isThrownBy(run::await);
    assertThat(run.progress().tasks()).isLessThan(run.progress().tasksTotal());
    run.close();
  }

  @Test
  void badConfigurationIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RunConfig.of(karate, 35, 1, 1))
        .withMessage("clients must be in [1, 34]: clients=35");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RunConfig.of(karate, 2, 0, 1))
        .withMessage("rounds must be in [1, 100000]: rounds=0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RunConfig.of(karate, 2, 1, 1).withLockWaitMax(Duration.ZERO))
        .withMessage("lockWaitMax must be positive: lockWaitMax=PT0S");
  }

  private void assertRight() {
    assertThat(ColouringCheck.of(karate, v -> store.value(Keys.color(v))).isRight()).isTrue();
  }
}
