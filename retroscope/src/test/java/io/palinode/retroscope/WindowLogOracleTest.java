package io.palinode.retroscope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Every difference of random writes, compared with the states at the time. */
class WindowLogOracleTest {
  private static final int SEEDS = Integer.getInteger("palinode.seeds", 1_000);

  @Test
  void everyReachableTimeEqualsTheReplayFromTheBeginning() {
    forEachSeed(
        120,
        (history, seed) -> {
          for (long target : history.timesInReach()) {
            Map<String, String> restored = history.present();
            History.read(history.log.diffTo(target))
                .forEach((key, value) -> restored.put(key, value));
            restored.values().removeIf("absent"::equals);
            assertThat(restored)
                .as("seed=%d target=%d", seed, target)
                .isEqualTo(history.replayed(target));
          }
        });
  }

  @Test
  void everyIntervalHasItsKeysWithTheirValuesAtEitherEnd() {
    forEachSeed(
        120,
        (history, seed) -> {
          List<Long> times = history.timesInReach();
          for (int i = 0; i < 20 && !times.isEmpty(); i++) {
            long one = times.get(history.random.nextInt(times.size()));
            long other = times.get(history.random.nextInt(times.size()));
            check(history, seed, Math.min(one, other), Math.max(one, other));
          }
        });
  }

  static void check(History history, long seed, long start, long end) {
    String as = "seed=%d start=%d end=%d".formatted(seed, start, end);
    Diff backward = history.log.diffBetween(start, end);
    assertThat(History.read(backward)).as(as).isEqualTo(history.expected(start, end, start));
    Diff forward = history.log.diffForward(start, end, history::presentValue);
    assertThat(History.read(forward)).as(as).isEqualTo(history.expected(start, end, end));
    List<History.Change> visited = new ArrayList<>();
    history.log.forEachBetween(
        start,
        end,
        (hlc, key, old) ->
            visited.add(
                new History.Change(
                    hlc, History.text(key), old == null ? null : History.text(old))));
    assertThat(visited).as(as).isEqualTo(history.changesIn(start, end));
    assertThat(backward.entries()).as(as).isEqualTo(visited.size());
    assertThat(forward.entries()).as(as).isEqualTo(visited.size());
  }

  @Test
  void aHeldDifferenceKeepsItsChangesWhenTheLogDropsSegments() {
    forEachSeed(
        60,
        (history, seed) -> {
          Map<Diff, Map<String, String>> held = new HashMap<>();
          for (int i = 0; i < 100; i++) {
            if (i % 5 == 0) {
              Diff diff = history.log.diffTo(history.log.reach());
              held.put(diff, History.read(diff));
            }
            if (i % 7 == 0 && !held.isEmpty()) {
              Diff closed = held.keySet().iterator().next();
              held.remove(closed);
              closed.close();
              assertThatThrownBy(() -> closed.forEach((key, value) -> {}))
                  .isInstanceOf(IllegalStateException.class);
            }
            history.change();
          }
          held.forEach(
              (diff, seen) -> assertThat(History.read(diff)).as("seed=" + seed).isEqualTo(seen));
        });
  }

  @Test
  void aTimeBeforeTheReachIsRefusedAndTheReachIsATimeOfTheLog() {
    forEachSeed(
        120,
        (history, seed) -> {
          long reach = history.log.reach();
          assertThat(history.times).as("seed=" + seed).contains(reach);
          assertThatThrownBy(() -> history.log.diffTo(reach - 1))
              .isInstanceOf(OutOfReachException.class);
          assertThatThrownBy(() -> history.log.diffForward(reach - 1, reach, history::presentValue))
              .isInstanceOf(OutOfReachException.class);
        });
  }

  private interface Check {
    void of(History history, long seed);
  }

  private static void forEachSeed(int changes, Check check) {
    for (long seed = 0; seed < SEEDS; seed++) {
      History history = new History(seed);
      for (int i = 0; i < changes; i++) {
        history.change();
      }
      check.of(history, seed);
    }
  }
}
