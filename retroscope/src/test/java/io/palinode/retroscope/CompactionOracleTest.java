package io.palinode.retroscope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.hvc.Hlc;
import io.palinode.retroscope.disklog.Compaction;
import io.palinode.retroscope.disklog.DiskBound;
import io.palinode.retroscope.disklog.DiskFile;
import io.palinode.retroscope.disklog.DiskLog;
import io.palinode.retroscope.segment.Cursor;
import io.palinode.retroscope.segment.Segment;
import io.palinode.retroscope.segment.Slot;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Random writes whose disk log is compacted at random, with kills at any moment. Every reachable
 * time equals the replay from the start; the log refuses all others.
 */
class CompactionOracleTest {
  private static final int SEEDS = Integer.getInteger("palinode.seeds", 400);

  private final List<String> reported = new ArrayList<>();
  private MemoryVolume volume = new MemoryVolume();
  private DiskBound bound = new DiskBound(Duration.ofDays(1), 1, 0);
  private DiskLog.Layout layout = new DiskLog.Layout(4_200, 64);
  private DiskLog disk = DiskLog.open(volume, bound, layout, "test", 0, reported::add);
  private long session;
  private long compacted;

  private History begin(long seed) {
    History history = new History(seed);
    volume = new MemoryVolume();
    session = 0;
    reported.clear();
    int slotBytes = history.pick(64, 128, 512);
    layout =
        new DiskLog.Layout(DiskFile.HEADER_BYTES + history.pick(1, 2, 7) * slotBytes, slotBytes);
    chooseGranularity(history);
    restart(history);
    return history;
  }

  private void chooseGranularity(History history) {
    Duration granularity = Duration.ofMillis(history.pick(1, 3, 7));
    Duration after = granularity.multipliedBy(history.pick(1, 2));
    bound =
        new DiskBound(
            Duration.ofNanos(1_000L * history.pick(30_000, 1_000_000_000)),
            history.pick(100_000, 100_000_000),
            0,
            new Compaction(after, granularity));
  }

  private void restart(History history) {
    disk = DiskLog.open(volume, bound, layout, "test", session, reported::add);
    session++;
    disk.begin(session);
    history.restart(disk);
  }

  private void compact(History history) {
    while (history.log.compact(() -> {})) {
      compacted++;
    }
  }

  private static List<Long> timesToTry(History history) {
    long granule = Hlc.ofMicros(Math.max(1, history.log.granularity().toNanos() / 1_000));
    long exact = history.log.exactReach();
    List<Long> times = new ArrayList<>(history.timesInReach());
    for (long at = history.log.reach(); at < exact; at += granule) {
      times.add(Compaction.floor(at, granule));
      times.add(at + 1 + history.random.nextInt((int) granule - 1));
    }
    return times;
  }

  private static List<Long> check(History history, long seed) {
    List<Long> reached = new ArrayList<>();
    for (long target : timesToTry(history)) {
      String as = "seed=%d target=%d".formatted(seed, target);
      if (target < history.log.reach()) {
        continue;
      }
      if (history.log.floor(target) == target) {
        reached.add(target);
        checkState(history, target, as);
      } else {
        assertThat(target).as(as).isLessThan(history.log.exactReach());
        assertThatThrownBy(() -> history.log.diffTo(target).close())
            .as(as)
            .isInstanceOf(OutOfReachException.class)
            .hasMessageContaining("was compacted there");
        checkState(history, history.log.floor(target), as);
      }
    }
    return reached;
  }

  private static void checkState(History history, long target, String as) {
    Map<String, String> restored = history.present();
    try (Diff diff = history.log.diffTo(target)) {
      restored.putAll(History.read(diff));
    }
    restored.values().removeIf("absent"::equals);
    assertThat(restored).as(as).isEqualTo(history.stateAt(target));
  }

  private static void checkIntervals(History history, long seed, List<Long> reached) {
    for (int i = 0; i < 5 && !reached.isEmpty(); i++) {
      long one = reached.get(history.random.nextInt(reached.size()));
      long other = reached.get(history.random.nextInt(reached.size()));
      long start = Math.min(one, other);
      long end = Math.max(one, other);
      String as = "seed=%d start=%d end=%d".formatted(seed, start, end);
      try (Diff back = history.log.diffBetween(start, end);
          Diff forth = history.log.diffForward(start, end, history::presentValue)) {
        assertThat(History.read(back)).as(as).isEqualTo(history.expected(start, end, start));
        assertThat(History.read(forth)).as(as).isEqualTo(history.expected(start, end, end));
      }
      Walk walk = new Walk(start, Hlc.ofMicros(500), 3, 10);
      assertThat(WalkTest.values(walk, history.log, end, () -> {}))
          .as(as)
          .isEqualTo(history.expected(start, end, start));
    }
  }

  @Test
  void everyReachableTimeEqualsTheReplayAndTheOthersAreRefused() {
    for (long seed = 0; seed < SEEDS / 10; seed++) {
      History history = begin(seed);
      for (int i = 0; i < 6; i++) {
        for (int changes = history.random.nextInt(80); changes > 0; changes--) {
          history.change();
        }
        if (history.random.nextInt(3) > 0) {
          compact(history);
        }
        checkIntervals(history, seed, check(history, seed));
        if (history.random.nextInt(4) == 0) {
          volume = volume.copy();
          chooseGranularity(history);
          restart(history);
          assertThat(reported).as("seed=" + seed).isEmpty();
        }
      }
    }
    assertThat(compacted).isGreaterThan(SEEDS / 40);
  }

  @Test
  void aKillAtAnyMomentOfACompactionLosesNothing() {
    for (long seed = 0; seed < SEEDS / 10; seed++) {
      History history = begin(seed);
      for (int changes = 200; changes > 0; changes--) {
        history.change();
      }
      List<MemoryVolume> killed = new ArrayList<>();
      volume.changed = () -> killed.add(volume.copy());
      long reach = history.log.exactReach();
      compact(history);
      MemoryVolume whole = volume;
      for (MemoryVolume each : killed) {
        volume = each;
        long before = session;
        restart(history);
        session = before;
        assertThat(reported).as("seed=" + seed).isEmpty();
        assertThat(history.log.reach()).as("seed=" + seed).isLessThan(reach + (1L << 40));
        check(history, seed);
        assertThat(volume.rewritten).as("seed=" + seed).isNull();
      }
      volume = whole;
    }
  }

  @Test
  void heldDifferencesKeepTheirChangesThroughCompactions() {
    for (long seed = 0; seed < SEEDS / 10; seed++) {
      History history = begin(seed);
      List<Map.Entry<Diff, Map<String, String>>> held = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        if (i % 20 == 0) {
          Diff diff = history.log.diffTo(history.log.reach());
          held.add(Map.entry(diff, History.read(diff)));
        }
        if (i % 30 == 0) {
          compact(history);
        }
        history.change();
      }
      for (Map.Entry<Diff, Map<String, String>> each : held) {
        assertThat(History.read(each.getKey())).as("seed=" + seed).isEqualTo(each.getValue());
      }
    }
  }

  @Test
  void changesPinnedBeforeACompactionAreReadUnchangedAfterIt() throws IOException {
    for (long seed = 0; seed < SEEDS / 10; seed++) {
      History history = begin(seed);
      for (int changes = 200; changes > 0; changes--) {
        history.change();
      }
      DiskLog.Pinned before = disk.pin(0, Long.MAX_VALUE);
      List<String> expected = entries(before);
      before.unpin();
      DiskLog.Pinned pinned = disk.pin(0, Long.MAX_VALUE);
      compact(history);
      assertThat(entries(pinned)).as("seed=" + seed).isEqualTo(expected);
      pinned.unpin();
    }
  }

  private static List<String> entries(DiskLog.Pinned pinned) throws IOException {
    List<String> entries = new ArrayList<>();
    Cursor entry = new Cursor();
    for (Segment.Part part : pinned.read(0, Long.MAX_VALUE)) {
      entry.open(part, 0);
      while (entry.next()) {
        entries.add(entry.hlc() + " " + History.text(entry.copyKey()));
      }
    }
    return entries;
  }

  @Test
  void changesThatAreNotCompleteAreNotVisited() {
    for (long seed = 0; seed < SEEDS / 10; seed++) {
      History history = begin(seed);
      for (int changes = 200; changes > 0; changes--) {
        history.change();
      }
      compact(history);
      long reach = history.log.reach();
      long exact = history.log.exactReach();
      List<History.Change> visited = new ArrayList<>();
      history.log.forEachBetween(
          exact,
          Long.MAX_VALUE,
          (hlc, key, old) ->
              visited.add(
                  new History.Change(
                      hlc, History.text(key), old == null ? null : History.text(old))));
      assertThat(visited).as("seed=" + seed).isEqualTo(history.changesIn(exact, Long.MAX_VALUE));
      if (reach < exact) {
        assertThatThrownBy(
                () -> history.log.forEachBetween(reach, Long.MAX_VALUE, (hlc, key, old) -> {}))
            .isInstanceOf(OutOfReachException.class)
            .hasMessageContaining("are not all there any more");
      }
    }
  }

  @Test
  void damageInAnOldFileEndsTheCompactionOfThatFileAndOfNoOther() {
    int found = 0;
    for (long seed = 0; seed < SEEDS / 10; seed++) {
      History history = begin(seed);
      for (int changes = 400; changes > 0; changes--) {
        history.change();
      }
      List<Long> numbers = volume.numbers();
      byte[] file = volume.file(numbers.get(history.random.nextInt(numbers.size() / 2)));
      file[DiskFile.HEADER_BYTES + Slot.HEADER_BYTES + 1] ^= 0x10;
      int rounds = 0;
      while (history.log.compact(() -> {})) {
        rounds++;
        assertThat(rounds).as("seed=" + seed).isLessThan(2 * numbers.size());
      }
      find(history);
      found += reported.size();
      checkIntervals(history, seed, check(history, seed));
    }
    assertThat(found).isPositive();
  }

  /** Damage is found when it is read. */
  private static void find(History history) {
    for (long reach = -1; reach != history.log.reach(); ) {
      reach = history.log.reach();
      try (Diff all = history.log.diffTo(reach)) {
        assertThat(all.size()).isNotNegative();
      } catch (OutOfReachException found) {
        assertThat(history.log.reach()).isGreaterThan(reach);
      }
    }
  }

  @Test
  void aDiskWithoutRoomLeavesTheLogAsItIs() {
    History history = begin(7);
    for (int changes = 400; changes > 0; changes--) {
      history.change();
    }
    long reach = history.log.exactReach();
    long bytes = history.log.diskBytes();
    volume.freeBytes = 10;
    assertThat(history.log.compact(() -> {})).isFalse();
    volume.freeBytes = bytes;
    volume.reservable = 5_000;
    assertThatThrownBy(() -> history.log.compact(() -> {}))
        .hasMessageContaining("the window-log was not compacted: full");
    assertThat(history.log.exactReach()).isEqualTo(reach);
    assertThat(history.log.diskBytes()).isEqualTo(bytes);
    volume.reservable = Long.MAX_VALUE;
    compact(history);
    assertThat(history.log.diskBytes()).isLessThan(bytes);
    checkIntervals(history, 7, check(history, 7));
  }
}
