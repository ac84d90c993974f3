package io.palinode.examples.graph.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.examples.graph.ColouringCheck;
import io.palinode.examples.graph.Graphs;
import io.palinode.examples.graph.Keys;
import io.palinode.examples.graph.Partition;
import io.palinode.examples.graph.Rule;
import io.palinode.examples.graph.run.RunConfig.Finish;
import io.palinode.examples.graph.run.SimulatedStore.Behaviour;
import io.palinode.examples.graph.truth.Accuracy;
import io.palinode.examples.graph.truth.Truth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Whole runs in virtual time: a seed gives the interleaving, the delays and the rollbacks. */
class SimulatedRunTest {
  private static final int SEEDS = 120;
  private static final List<String> GRAPHS =
      List.of("random-regular:8,3", "grid:3x3", "powerlaw:9", "random-regular:6,5");

  private static final Behaviour SEQUENTIAL = new Behaviour(0, false, 0, false);
  private static final Behaviour UNWATCHED = new Behaviour(3_000_000, false, 0, false);

  @Test
  void underSequentialConsistencyTheAnswerIsRightAndNoRuleIsBroken() throws Exception {
    for (long seed = 0; seed < SEEDS; seed++) {
      Outcome outcome = run(seed, SEQUENTIAL, Finish.WRITTEN);
      assertThat(outcome.check.isRight()).as("seed %d", seed).isTrue();
      assertThat(outcome.truth.overlaps()).as("seed %d", seed).isEmpty();
      assertThat(outcome.truth.sameColours()).as("seed %d", seed).isEmpty();
      assertThat(outcome.store.reports(Rule.EDGE_MUTEX)).as("seed %d", seed).isEmpty();
      assertThat(outcome.store.reports(Rule.PROPER_COLOURING)).as("seed %d", seed).isEmpty();
    }
  }

  @Test
  void unwatchedOnAWeakStoreSomeAnswersAreWrongAndBothRulesAreBroken() throws Exception {
    int wrong = 0;
    int overlaps = 0;
    int staleOnly = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      Outcome outcome = run(seed, UNWATCHED, Finish.WRITTEN);
      wrong += outcome.check.isRight() ? 0 : 1;
      overlaps += outcome.truth.overlaps().size();
      staleOnly +=
          outcome.truth.overlaps().isEmpty() && !outcome.truth.sameColours().isEmpty() ? 1 : 0;
    }
    assertThat(wrong).isPositive();
    assertThat(overlaps).isPositive();
    // Why the second rule is needed.
    assertThat(staleOnly).isPositive();
  }

  @Test
  void watchedOnAWeakStoreEveryAnswerIsRightAndEveryRunEnds() throws Exception {
    int rollbacks = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      Behaviour watched = new Behaviour(3_000_000, true, 1 + seed % 5 * 2_000_000, seed % 2 == 0);
      Outcome outcome = run(seed, watched, Finish.SAFE);
      assertThat(outcome.check.isRight()).as("seed %d", seed).isTrue();
      for (ColouringClient client : outcome.clients) {
        assertThat(client.wasted()).isLessThanOrEqualTo(client.operations());
      }
      rollbacks += outcome.store.rollbacks().size();
    }
    assertThat(rollbacks).isGreaterThan(SEEDS);
  }

  /** The model's watcher sees all that it has to judge, so the truth must find it perfect. */
  @Test
  void truthFindsAWatcherThatSeesEverythingPerfect() throws Exception {
    int violations = 0;
    int takenBack = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      Behaviour watched = new Behaviour(3_000_000, seed % 3 != 0, 9_000_000, seed % 2 == 0);
      Outcome outcome = run(seed, watched, watched.watched() ? Finish.SAFE : Finish.WRITTEN);
      for (Rule rule : Rule.values()) {
        Accuracy accuracy = Accuracy.compare(rule, outcome.store.reports(rule), outcome.truth);
        assertThat(accuracy.falseReports()).as("seed %d %s", seed, rule).isEmpty();
        assertThat(accuracy.missed()).as("seed %d %s", seed, rule).isEmpty();
        // And nothing is certain that never held.
        assertThat(Accuracy.compare(rule, outcome.store.held(rule), outcome.truth).found())
            .as("seed %d %s", seed, rule)
            .isEqualTo(accuracy.violations());
        violations += accuracy.violations();
        takenBack += accuracy.takenBack();
      }
    }
    assertThat(violations).isGreaterThan(SEEDS);
    assertThat(takenBack).isPositive();
  }

  private record Outcome(
      ColouringCheck check, Truth truth, SimulatedStore store, List<ColouringClient> clients) {}

  private static Outcome run(long seed, Behaviour behaviour, Finish finish) throws Exception {
    RunConfig config =
        RunConfig.of(Graphs.parse(GRAPHS.get((int) (seed % GRAPHS.size())), seed), 3, 3, seed)
            .withWorkOperations(2)
            .withFinish(finish, Duration.ofMinutes(1));
    Partition partition = Partition.of(config.graph(), config.clients());
    Turnstile turnstile = new Turnstile(config.clients(), seed);
    SimulatedStore store =
        new SimulatedStore(turnstile, partition.crossEdges(), config.clients(), behaviour, seed);
    List<ColouringClient> clients = new ArrayList<>();
    List<Callable<Void>> programs = new ArrayList<>();
    for (int i = 0; i < config.clients(); i++) {
      int player = i;
      Cells cells = store.connect(player);
      ColouringClient client =
          new ColouringClient(
              player, config, partition, cells, turnstile.timing(player), () -> false);
      clients.add(client);
      programs.add(
          () -> {
            try (cells) {
              client.run();
            } finally {
              turnstile.leave(player);
            }
            return null;
          });
    }
    runAll(programs, seed);
    return new Outcome(
        ColouringCheck.of(config.graph(), v -> store.finalValue(Keys.color(v))),
        Truth.of(clients.stream().map(ColouringClient::log).toList()),
        store,
        clients);
  }

  private static void runAll(List<Callable<Void>> programs, long seed) throws InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(programs.size());
    try {
      for (Future<Void> program : threads.invokeAll(programs)) {
        program.get();
      }
    } catch (ExecutionException e) {
      throw new AssertionError("seed " + seed, e.getCause());
    } finally {
      threads.shutdownNow();
    }
  }
}
