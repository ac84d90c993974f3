package io.palinode.retroscope.snapshot;

import static io.palinode.retroscope.snapshot.MapHistory.bytes;
import static io.palinode.retroscope.snapshot.MapHistory.text;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.hvc.PointInTime;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.retroscope.WindowLogConfig;
import io.palinode.retroscope.snapshot.RollbackTimes.Span;
import io.palinode.retroscope.snapshot.file.Entry;
import io.palinode.retroscope.snapshot.file.HalfUndoneException;
import io.palinode.retroscope.snapshot.file.Kind;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import io.palinode.retroscope.snapshot.file.Ref;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Every kind of snapshot, compared with the state replayed from the start. */
class LocalSnapshotsTest extends LocalSnapshotsFixture {
  @Test
  void aSnapshotOfAllKeysAtAnyTimeEqualsTheReplayDuringWrites() {
    for (long seed = 0; seed < SEEDS; seed++) {
      begin(seed, WindowLogConfig.DEFAULT, "seed" + seed);
      change(60);
      history.changesDuringAPage = (int) (seed % 3);
      // Each taking waits for the disk a few times.
      for (long hlc : seed < 2 ? history.times() : sample(5, new Random(seed))) {
        Ref id = take("s", hlc, Kind.RETROSPECTIVE, Ref.NONE);
        assertHolds(id, hlc, "seed=" + seed);
      }
    }
  }

  @Test
  void aSnapshotOfAStoreWithoutKeyOrderEqualsTheReplayDuringWrites() {
    for (long seed = 0; seed < SEEDS; seed++) {
      begin(seed, WindowLogConfig.DEFAULT, "seed" + seed);
      history.hasNoKeyOrder = true;
      change(60);
      history.changesDuringAPage = (int) (seed % 3);
      Ref base = Ref.NONE;
      for (long hlc : sample(5, new Random(seed))) {
        Ref id = take("s", hlc, Kind.RETROSPECTIVE, Ref.NONE);
        assertHolds(id, hlc, "seed=" + seed);
        if (!base.isNone()) {
          assertHolds(take("over", hlc, Kind.INCREMENTAL, base), hlc, "over, seed=" + seed);
        }
        base = base.isNone() ? take("base", hlc, Kind.INSTANT, Ref.NONE) : base;
      }
    }
  }

  @Test
  void aSnapshotIsRefusedIfAStoreHasLostRecordsSinceItsTime() {
    change(30);
    long early = history.now();
    change(30);
    Ref base = take("base", history.now(), Kind.INSTANT, Ref.NONE);
    change(30);
    history.nothingLostSince = history.now();
    change(30);
    assertRefused(() -> take("early", early, Kind.RETROSPECTIVE, Ref.NONE), "a store was emptied");
    assertRefused(() -> take("over", history.now(), Kind.INCREMENTAL, base), "a store was emptied");
    take("now", history.now(), Kind.INSTANT, Ref.NONE);
    assertHolds(new Ref("now", numbers), history.now(), "");
  }

  private static void assertRefused(ThrowingCallable taking, String why) {
    assertThatThrownBy(taking).isInstanceOf(OutOfReachException.class).hasMessageContaining(why);
  }

  @Test
  void anIncrementalSnapshotEqualsTheReplayForwardAndBackwardAlsoOnAnother() {
    for (long seed = 0; seed < 2L * SEEDS; seed++) {
      begin(seed, WindowLogConfig.DEFAULT, "seed" + seed);
      change(60);
      history.changesDuringAPage = (int) (seed % 2);
      Random random = new Random(seed);
      Ref base = take("base", randomTime(random), Kind.INSTANT, Ref.NONE);
      for (int i = 0; i < 12; i++) {
        long hlc = randomTime(random);
        Ref id = take("inc" + i, hlc, Kind.INCREMENTAL, base);
        assertHolds(id, hlc, "seed=%d i=%d".formatted(seed, i));
        base = i % 4 == 0 ? id : base;
      }
    }
  }

  @Test
  void aRollingSnapshotEqualsTheReplayWhereverItIsMoved() throws IOException {
    for (long seed = 0; seed < SEEDS; seed++) {
      begin(seed, WindowLogConfig.DEFAULT, "seed" + seed);
      change(60);
      Random random = new Random(seed);
      Ref at = take("s", randomTime(random), Kind.INSTANT, Ref.NONE);
      for (int i = 0; i < 3 * Taking.RUNS_MAX; i++) {
        change(3);
        long hlc = randomTime(random);
        at = take("s", hlc, Kind.ROLLING, at);
        assertHolds(at, hlc, "seed=%d i=%d".formatted(seed, i));
        assertThat(files("seed" + seed, "s").size()).isLessThanOrEqualTo(Taking.RUNS_MAX + 2);
      }
    }
  }

  @Test
  void aRollingSnapshotStaysWhereItWasUntilItIsFiled() {
    change(30);
    long first = history.now();
    Ref before = take("s", first, Kind.INSTANT, Ref.NONE);
    change(30);
    Ref next = new Ref("s", ++numbers);
    Taken taken = snapshots.take(new Order(next, history.now(), Kind.ROLLING, before), Watch.NONE);
    assertHolds(before, first, "not filed");
    snapshots.file(manifest(next, history.now(), taken, "node 1 is away"));
    assertThat(read("s")).isEqualTo(history.at(history.now()));
  }

  @Test
  void aFailedRollingSnapshotLeavesNothing() throws IOException {
    change(30);
    long first = history.now();
    Ref before = take("s", first, Kind.INSTANT, Ref.NONE);
    List<String> files = files("first", "s");
    change(30);
    Ref next = new Ref("s", ++numbers);
    snapshots.take(new Order(next, history.now(), Kind.ROLLING, before), Watch.NONE);
    assertThat(files("first", "s")).hasSizeGreaterThan(files.size());
    snapshots.discard(next);
    assertThat(files("first", "s")).isEqualTo(files);
    assertHolds(before, first, "discarded");
  }

  @Test
  void theCostOfRollingFollowsTheKeysThatChange() {
    for (int i = 0; i < 2_000; i++) {
      history.change();
    }
    Ref at = take("s", history.now(), Kind.INSTANT, Ref.NONE);
    change(2);
    Taken taken =
        snapshots.take(
            new Order(new Ref("s", ++numbers), history.now(), Kind.ROLLING, at), Watch.NONE);
    assertThat(taken.changed()).isBetween(1L, 2L);
  }

  @Test
  void aTimeOutOfReachIsRefusedWithTheReasonAndLeavesNothing() throws IOException {
    change(10);
    Order tooOld = new Order(new Ref("s", 1), 7, Kind.RETROSPECTIVE, Ref.NONE);
    assertThatThrownBy(() -> snapshots.take(tooOld, Watch.NONE))
        .isInstanceOf(OutOfReachException.class)
        .hasMessageContaining("reaches from " + PointInTime.format(100));
    Order tooNew = new Order(new Ref("s", 2), 1 << 20, Kind.RETROSPECTIVE, Ref.NONE);
    assertThatThrownBy(() -> snapshots.take(tooNew, Watch.NONE))
        .isInstanceOf(OutOfReachException.class);
    assertThat(folder.resolve("first/s")).doesNotExist();
  }

  @Test
  void aTimeWithinARollbackIsRefusedWithTheReasonAndLeavesNothing() {
    change(30);
    long hlc = history.now();
    change(30);
    history.rollbacks = RollbackTimes.NONE.with(new Span(2, hlc - 1, hlc + 1));
    Order order = new Order(new Ref("s", 1), hlc, Kind.RETROSPECTIVE, Ref.NONE);
    assertHalfUndone(() -> snapshots.take(order, Watch.NONE));
    assertHalfUndone(() -> history.getAsOf("one", bytes("k1"), hlc));
    Point whole = Point.ofTime(hlc + 1);
    assertHalfUndone(() -> snapshots.difference("one", Point.ofTime(hlc), whole, null));
    assertHalfUndone(() -> snapshots.difference("one", whole, Point.ofTime(hlc), null));
    assertThat(folder.resolve("first/s")).doesNotExist();
    take("before", hlc - 1, Kind.RETROSPECTIVE, Ref.NONE);
    take("after", hlc + 1, Kind.RETROSPECTIVE, Ref.NONE);
  }

  @Test
  void aRollbackThatBecomesKnownWhileAPartIsTakenSpoilsIt() {
    change(30);
    long hlc = history.now();
    history.rollbacksDuringAPage = RollbackTimes.NONE.with(new Span(2, hlc - 1, hlc + 1));
    Order order = new Order(new Ref("s", 1), hlc, Kind.INSTANT, Ref.NONE);
    assertHalfUndone(() -> snapshots.take(order, Watch.NONE));
    assertThat(folder.resolve("first/s")).doesNotExist();
  }

  private static void assertHalfUndone(ThrowingCallable action) {
    assertThatThrownBy(action)
        .isInstanceOf(HalfUndoneException.class)
        .hasMessageContaining("half undone, by the rollback to epoch 2");
  }

  @Test
  void aWindowThatMovesOnWhileASnapshotIsTakenDoesNotSpoilIt() {
    begin(3, new WindowLogConfig(Duration.ofHours(1), 600_000), "narrow");
    history.valueBytes = 500;
    change(100);
    long hlc = history.now();
    history.changesDuringAPage = 400;
    Ref id = take("s", hlc, Kind.INSTANT, Ref.NONE);
    history.changesDuringAPage = 0;
    assertThat(history.past("one").reach()).isGreaterThan(hlc);
    assertHolds(id, hlc, "narrow");
  }

  @Test
  void aWindowThatMovesOnWhileGoneKeysAreWrittenDoesNotSpoilASnapshot() {
    begin(3, new WindowLogConfig(Duration.ofHours(1), 4_000_000), "gone");
    int keys = 40_000;
    history.changeKeys(keys);
    long hlc = history.now();
    history.removeKeys(keys);
    Watch othersAreWritten =
        (written, bytes) -> {
          history.fillOther(200_000);
          return true;
        };
    Ref id = take("s", hlc, Kind.RETROSPECTIVE, Ref.NONE, othersAreWritten);
    assertThat(history.past("two").reach()).isGreaterThan(hlc);
    Map<String, String> state = new TreeMap<>();
    try (OpenSnapshot opened = snapshots.open(id.id())) {
      for (Entry entry : opened.page("one", null, Integer.MAX_VALUE)) {
        String name = MapHistory.name("one", entry.key());
        state.put(name, text(requireNonNull(entry.record())));
      }
      assertThat(opened.page("two", null, Integer.MAX_VALUE)).isEmpty();
    }
    assertThat(state).isEqualTo(history.at(hlc));
  }

  @Test
  void aDifferenceOfTwoTimesLooksAtNoMoreKeysThanHaveChanged() {
    change(400);
    long one = history.now();
    change(3);
    long other = history.now();
    history.keysRead = 0;
    history.pagesRead = 0;
    Map<String, String> expected = difference(history.at(one), history.at(other));
    assertThat(difference(Point.ofTime(one), Point.ofTime(other))).isEqualTo(expected);
    assertThat(history.pagesRead).isZero();
    assertThat(history.keysRead).isLessThanOrEqualTo(3);
  }

  @Test
  void aDifferenceOfAnyTwoPointsIsTheDifferenceOfTheReplayedStates() {
    for (long seed = 0; seed < SEEDS; seed++) {
      begin(seed, WindowLogConfig.DEFAULT, "seed" + seed);
      change(60);
      Random random = new Random(seed);
      long one = randomTime(random);
      long other = randomTime(random);
      take("one", one, Kind.INSTANT, Ref.NONE);
      take("other", other, Kind.INSTANT, Ref.NONE);
      history.changesDuringAPage = (int) (seed % 2);
      Map<String, String> expected = difference(history.at(one), history.at(other));
      for (Point from : List.of(Point.ofSnapshot("one", 0), Point.ofTime(one))) {
        for (Point to : List.of(Point.ofSnapshot("other", 0), Point.ofTime(other))) {
          assertThat(difference(from, to))
              .as("seed=%d from=%s to=%s", seed, from, to)
              .isEqualTo(expected);
        }
      }
    }
  }

  private List<Long> sample(int count, Random random) {
    return random.longs(count, 0, 1).mapToObj(i -> randomTime(random)).toList();
  }

  private long randomTime(Random random) {
    List<Long> times = history.times();
    return times.get(random.nextInt(times.size()));
  }

  private static Map<String, String> difference(
      Map<String, String> before, Map<String, String> after) {
    Map<String, String> found = new TreeMap<>();
    for (String store : MapHistory.STORES) {
      for (int i = 0; i < MapHistory.KEYS; i++) {
        String key = MapHistory.name(store, bytes("k" + i));
        String change = before.get(key) + " -> " + after.get(key);
        if (!java.util.Objects.equals(before.get(key), after.get(key))) {
          found.put(key, change);
        }
      }
    }
    return found;
  }

  private Map<String, String> difference(Point before, Point after) {
    Map<String, String> found = new TreeMap<>();
    for (String store : MapHistory.STORES) {
      byte[] behind = null;
      do {
        DifferencePage page = snapshots.difference(store, before, after, behind);
        for (DifferencePage.Difference d : page.keys()) {
          String change =
              (d.before() == null ? null : text(d.before()))
                  + " -> "
                  + (d.after() == null ? null : text(d.after()));
          found.put(MapHistory.name(store, d.key()), change);
        }
        behind = page.end();
      } while (behind != null);
    }
    return found;
  }
}
