package io.palinode.retroscope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.hvc.Hlc;
import io.palinode.retroscope.disklog.DiskBound;
import io.palinode.retroscope.disklog.DiskFile;
import io.palinode.retroscope.disklog.DiskLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Random writes with a disk log: orderly restarts, kills, machines that stop, full disks. After
 * each, every reachable time equals the replay from the start.
 */
class DiskLogOracleTest {
  private static final int SEEDS = Integer.getInteger("palinode.seeds", 400);

  private final List<String> reported = new ArrayList<>();
  private MemoryVolume volume = new MemoryVolume();
  private DiskBound bound = new DiskBound(Duration.ofDays(1), 1, 0);
  private DiskLog.Layout layout = new DiskLog.Layout(4_200, 64);
  private DiskLog disk = DiskLog.open(volume, bound, layout, "test", 0, reported::add);
  private long session;

  private History begin(long seed) {
    History history = new History(seed);
    volume = new MemoryVolume();
    session = 0;
    reported.clear();
    int slotBytes = history.pick(64, 128, 512);
    int slots = history.pick(1, 2, 7);
    layout = new DiskLog.Layout(DiskFile.HEADER_BYTES + slots * slotBytes, slotBytes);
    Duration ageMax = Duration.ofNanos(1_000L * history.pick(10_000, 1_000_000_000));
    bound = new DiskBound(ageMax, history.pick(10_000, 100_000, 100_000_000), 0);
    restart(history);
    return history;
  }

  private void restart(History history) {
    disk = DiskLog.open(volume, bound, layout, "test", session, reported::add);
    session++;
    disk.begin(session);
    history.restart(disk);
  }

  private interface Step {
    void of(History history, long seed);
  }

  private void forEachSeed(Step step) {
    for (long seed = 0; seed < SEEDS / 4; seed++) {
      History history = begin(seed);
      for (int i = 0; i < 8; i++) {
        for (int changes = history.random.nextInt(40); changes > 0; changes--) {
          history.change();
        }
        step.of(history, seed);
        check(history, seed);
      }
    }
  }

  private static void check(History history, long seed) {
    List<Long> times = history.timesInReach();
    for (long target : times) {
      Map<String, String> restored = history.present();
      try (Diff diff = history.log.diffTo(target)) {
        restored.putAll(History.read(diff));
      }
      restored.values().removeIf("absent"::equals);
      assertThat(restored)
          .as("seed=%d target=%d", seed, target)
          .isEqualTo(history.replayed(target));
    }
    for (int i = 0; i < 5 && !times.isEmpty(); i++) {
      long one = times.get(history.random.nextInt(times.size()));
      long other = times.get(history.random.nextInt(times.size()));
      WindowLogOracleTest.check(history, seed, Math.min(one, other), Math.max(one, other));
    }
    long reach = history.log.reach();
    assertThatThrownBy(() -> history.log.diffTo(reach - 1)).isInstanceOf(OutOfReachException.class);
  }

  @Test
  void aKilledProcessLosesNothing() {
    forEachSeed(
        (history, seed) -> {
          // The last write was in the log, and not yet in the store.
          if (history.random.nextBoolean()) {
            history.fail();
          }
          long reach = disk.reach();
          // Late work of the old process does not affect the new one.
          volume = volume.copy();
          restart(history);
          assertThat(disk.reach()).as("seed=" + seed).isEqualTo(reach);
          assertThat(reported).as("seed=" + seed).isEmpty();
        });
  }

  @Test
  void restartsOnADiskWithoutRoomToSpareCostNoReachOfShortRuns() {
    layout = new DiskLog.Layout(1 << 20, 512);
    bound = new DiskBound(Duration.ofDays(1), 100_000_000, MemoryVolume.PLENTY + 1);
    History history = new History(1);
    restart(history);
    history.change();
    long reach = disk.reach();
    for (int run = 0; run < 20; run++) {
      volume = volume.copy();
      restart(history);
      history.change();
      assertThat(disk.reach()).as("run=%d", run).isEqualTo(reach);
      check(history, run);
    }
    assertThat(reported).isEmpty();
  }

  @Test
  void aLogClosedInOrderContinuesAfterAMachineRestart() {
    forEachSeed(
        (history, seed) -> {
          long reach = disk.reach();
          history.log.close();
          volume.boot = "later" + session;
          restart(history);
          assertThat(disk.reach()).as("seed=" + seed).isEqualTo(reach);
          assertThat(reported).as("seed=" + seed).isEmpty();
        });
  }

  @Test
  void afterALossOfPowerItBeginsEmpty() {
    forEachSeed(
        (history, seed) -> {
          volume = volume.copy();
          volume.boot = "after" + session;
          reported.clear();
          restart(history);
          assertThat(history.log.reach()).as("seed=" + seed).isEqualTo(history.log.last());
          assertThat(reported).as("seed=" + seed).hasSize(1);
          assertThat(reported).allMatch(what -> what.contains("the machine stopped before it was"));
          assertThat(volume.files).hasSize(1);
        });
  }

  @Test
  void aStoreThatRanWithoutItsLogMakesItBeginEmpty() {
    forEachSeed(
        (history, seed) -> {
          history.log.close();
          history.changeUnseen();
          session++;
          reported.clear();
          restart(history);
          assertThat(history.log.reach()).as("seed=" + seed).isEqualTo(history.log.last());
          assertThat(reported).as("seed=" + seed).hasSize(1);
          assertThat(reported).allMatch(what -> what.contains("its store ran without it"));
        });
  }

  @Test
  void aDiskThatFillsUpOrFailsCostsReachAndNothingElse() {
    forEachSeed(
        (history, seed) -> {
          switch (history.random.nextInt(4)) {
            case 0 -> volume.fails = true;
            case 1 -> volume.freeBytes = history.random.nextInt(20_000);
            default -> {
              volume.fails = false;
              volume.freeBytes = MemoryVolume.PLENTY;
              // So long that it is tried again.
              history.idle(Hlc.ofMicros(11_000_000));
            }
          }
          if (history.random.nextInt(3) == 0) {
            volume = volume.copy();
            restart(history);
          }
        });
  }

  @Test
  void heldDifferencesKeepTheirChangesWhenFilesAreDropped() {
    for (long seed = 0; seed < SEEDS / 4; seed++) {
      History history = begin(seed);
      List<Map.Entry<Diff, Map<String, String>>> held = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        if (i % 5 == 0) {
          Diff diff = history.log.diffTo(history.log.reach());
          held.add(Map.entry(diff, History.read(diff)));
        }
        if (i % 7 == 0 && !held.isEmpty()) {
          held.remove(0).getKey().close();
        }
        history.change();
      }
      for (Map.Entry<Diff, Map<String, String>> each : held) {
        assertThat(History.read(each.getKey())).as("seed=" + seed).isEqualTo(each.getValue());
      }
    }
  }
}
