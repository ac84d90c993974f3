package io.palinode.examples.graph.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.palinode.examples.graph.ColouringCheck;
import io.palinode.examples.graph.Edge;
import io.palinode.examples.graph.Graphs;
import io.palinode.examples.graph.Keys;
import io.palinode.examples.graph.Partition;
import io.palinode.examples.graph.run.RunConfig.Finish;
import io.palinode.voldemort.client.session.RolledBack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** One client at a time, so that each step is known. */
class ColouringClientTest {
  /** The vertices 0 and 1 are the first client's, 2 and 3 the second's; 1_2 crosses. */
  private static final Edge CROSS = new Edge(1, 2);

  private final HistoryStore store = new HistoryStore();
  private final List<Long> pauses = new ArrayList<>();
  private final AtomicBoolean stopped = new AtomicBoolean();
  private long nanos;

  @Test
  void eachRoundRecoloursFromTheNextColour() {
    RunConfig config = config(1).withFinish(Finish.WRITTEN, Duration.ofSeconds(1));
    client(0, config).run();
    assertThat(colours()).startsWith("0", "1");
    RunConfig twice =
        new RunConfig(
            config.graph(),
            2,
            new RunConfig.Load(2, 0, 50, 0),
            1,
            Duration.ofSeconds(1),
            new RunConfig.End(Finish.WRITTEN, Duration.ofSeconds(1)));
    client(0, twice).run();
    assertThat(colours()).startsWith("2", "1");
  }

  @Test
  void sectionIsEnteredPublishedAndReleased() {
    client(0, config(1)).run();
    assertThat(store.value(Keys.cs(CROSS, 1))).isEqualTo("c1");
    assertThat(store.value(Keys.flag(CROSS, 1))).isEqualTo(Keys.FREE);
    assertThat(store.value(Keys.turn(CROSS))).isEqualTo("2");
  }

  @Test
  void ordinaryWorkReadsAndWritesItsOwnKeys() {
    ColouringClient plain = client(0, config(1));
    plain.run();
    ColouringClient busy = client(0, config(1).withWorkOperations(5));
    busy.run();
    assertThat(busy.operations() - plain.operations()).isEqualTo(2 * 5);
    assertThat(store.value(Keys.load(1, 1))).isEqualTo("0");
    assertThat(store.value(Keys.load(1, 2))).isNull();
  }

  @Test
  void theShareOfPutsOfOrdinaryWorkIsAsConfigured() {
    long sections = puts(config(1));
    for (int percent : new int[] {0, 10, 25, 50, 100}) {
      RunConfig config = config(1).withWorkOperations(20).withPutPercent(percent);
      assertThat(puts(config) - sections).as("%d %%", percent).isEqualTo(2L * 20 * percent / 100);
    }
  }

  /** Of a client that has two tasks. */
  private long puts(RunConfig config) {
    long before = store.now();
    client(0, config).run();
    return store.now() - before;
  }

  @Test
  void finishWaitsForTheSafePointOfTheLastWrite() {
    client(0, config(2)).run();
    assertThat(store.safeQuestions()).containsExactly(store.now());
  }

  @Test
  void unwatchedRunDoesNotAskForTheSafePoint() {
    client(0, config(2).withFinish(Finish.WRITTEN, Duration.ofSeconds(1))).run();
    assertThat(store.safeQuestions()).isEmpty();
    assertThat(store.settled()).isEqualTo(1);
  }

  @Test
  void waitForALockEndsWithAnErrorThatNamesTheEdge() {
    store.write(Keys.flag(CROSS, 2), Keys.WANTED);
    assertThatExceptionOfType(LockWaitException.class)
        .isThrownBy(() -> client(0, config(1)).run())
        .withMessage("a wait for a lock must be at most 1000 ms: edge=1_2 waiting=1 holder=2");
    assertThat(pauses.subList(0, 6))
        .containsExactly(200_000L, 400_000L, 800_000L, 1_600_000L, 3_200_000L, 5_000_000L);
  }

  @Test
  void clientWaitsWhileTheOtherGoesFirst() {
    store.write(Keys.flag(CROSS, 2), Keys.WANTED);
    store.onOperation(
        operation -> {
          if (operation == 20) {
            store.write(Keys.flag(CROSS, 2), Keys.FREE);
          }
        });
    client(0, config(1)).run();
    assertThat(pauses).isNotEmpty();
    assertThat(store.value(Keys.cs(CROSS, 1))).isEqualTo("c1");
  }

  @Test
  void leftoversOfADeadClientAreClearedAtTheStart() {
    store.write(Keys.color(1), "2");
    store.write(Keys.flag(CROSS, 1), Keys.WANTED);
    store.write(Keys.cs(CROSS, 1), Keys.INSIDE);
    List<String> written = new ArrayList<>();
    store.onOperation(operation -> written.add(store.value(Keys.cs(CROSS, 1))));
    client(0, config(1)).run();
    assertThat(written).contains(Keys.CLEARED).doesNotContain("c2");
    assertThat(written.indexOf(Keys.CLEARED)).isLessThan(written.lastIndexOf(Keys.INSIDE));
    assertThat(store.value(Keys.cs(CROSS, 1))).isEqualTo("c1");
  }

  @Test
  void tasksUpToTheTargetStandAndAreNotDoneAgain() {
    long[] target = new long[1];
    store.onOperation(
        operation -> {
          if (target[0] == 0 && Keys.INSIDE.equals(store.value(Keys.cs(CROSS, 1)))) {
            // The task of vertex 0 had no lock; its only write is its colour, at time 1.
            target[0] = 1;
            store.takeBackTo(1);
          }
        });
    ColouringClient client = client(0, config(1));
    client.run();
    assertThat(store.writes(Keys.color(0))).isEqualTo(1);
    assertThat(colours()).startsWith("0", "1");
    assertThat(client.rollbacks()).containsExactly(new RolledBack(0, 1, 1, 0));
    assertThat(client.tasks()).isEqualTo(2);
  }

  @Test
  void rollbackDuringTheWaitForTheSafePointSendsTheClientBack() {
    boolean[] done = new boolean[1];
    store.onOperation(
        operation -> {
          if (!done[0] && Keys.FREE.equals(store.value(Keys.flag(CROSS, 1)))) {
            done[0] = true;
            store.takeBackTo(0);
          }
        });
    ColouringClient client = client(0, config(1));
    client.run();
    assertThat(colours()).startsWith("0", "1");
    assertThat(client.rollbacks()).hasSize(1);
    assertThat(client.tasks()).isEqualTo(2);
    assertThat(store.safeQuestions()).containsExactly(store.now());
  }

  @Test
  void backOffGrowsWithRollbacksInVainAndStaysBelowItsLimit() {
    store.onOperation(
        operation -> {
          if (operation > 0 && operation % 8 == 0 && operation < 400) {
            store.takeBackTo(0);
          }
        });
    client(0, config(1)).run();
    assertThat(pauses.get(0)).isBetween(1L, 2_000_000L);
    assertThat(pauses).allMatch(pause -> pause <= 500_000_000);
    assertThat(pauses).anyMatch(pause -> pause > 32_000_000);
  }

  @Test
  void rollbacksAtAnyTimeLeaveARightAnswerAndEveryOperationIsAccountedFor() {
    for (long seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      HistoryStore history = new HistoryStore();
      int[] rollbacksLeft = {1 + random.nextInt(6)};
      history.onOperation(
          operation -> {
            if (rollbacksLeft[0] > 0 && random.nextInt(25) == 0) {
              rollbacksLeft[0]--;
              history.takeBackTo(Math.max(0, history.now() - random.nextInt(30)));
            }
          });
      RunConfig config = RunConfig.of(Graphs.parse("grid:3x2"), 1, 3, seed).withWorkOperations(4);
      Partition partition = Partition.of(config.graph(), 1);
      ColouringClient client =
          new ColouringClient(0, config, partition, history.connect(), timing(), stopped::get);
      client.run();
      assertThat(ColouringCheck.of(config.graph(), v -> history.value(Keys.color(v))).isRight())
          .as("seed %d", seed)
          .isTrue();
      // Without locks: a task is its work and a colour; the first clearing away reads six colours,
      // unless a rollback came so early that it is waste, too.
      assertThat(client.tasks()).isEqualTo(18);
      assertThat(client.operations() - client.wasted())
          .as("seed %d", seed)
          .isIn(18L * 5 + 6, 18L * 5);
    }
  }

  @Test
  void stoppedClientEndsAtItsNextOperation() {
    store.onOperation(operation -> stopped.set(operation == 5));
    assertThatExceptionOfType(CancellationException.class)
        .isThrownBy(() -> client(0, config(1)).run());
  }

  private static RunConfig config(int rounds) {
    return RunConfig.of(Graphs.parse("grid:4x1"), 2, rounds, 1)
        .withWorkOperations(0)
        .withLockWaitMax(Duration.ofSeconds(1));
  }

  private ColouringClient client(int index, RunConfig config) {
    return new ColouringClient(
        index, config, Partition.of(config.graph(), 2), store.connect(), timing(), stopped::get);
  }

  private Timing timing() {
    return new Timing(
        () -> nanos += 1_000,
        pause -> {
          pauses.add(pause);
          nanos += pause;
        });
  }

  private List<String> colours() {
    List<String> colours = new ArrayList<>();
    for (int v = 0; v < 4; v++) {
      colours.add(String.valueOf(store.value(Keys.color(v))));
    }
    return colours;
  }
}
