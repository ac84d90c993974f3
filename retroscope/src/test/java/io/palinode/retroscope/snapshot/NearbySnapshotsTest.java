package io.palinode.retroscope.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.hvc.Hlc;
import io.palinode.retroscope.WindowLogConfig;
import io.palinode.retroscope.snapshot.file.Kind;
import io.palinode.retroscope.snapshot.file.Ref;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Snapshots that start from the files of a nearby one. */
class NearbySnapshotsTest extends LocalSnapshotsFixture {
  @Test
  void aSnapshotBeginsWithOneThatIsTakenAndNotFiledYet() {
    change(400);
    Ref first = new Ref("first", ++numbers);
    snapshots.take(new Order(first, history.now(), Kind.INSTANT, Ref.NONE), Watch.NONE);
    change(2);
    long hlc = history.now();
    Ref id = new Ref("s", ++numbers);
    Taken taken = snapshots.take(new Order(id, hlc, Kind.INSTANT, Ref.NONE), Watch.NONE);
    assertThat(taken.from()).isEqualTo("first");
    snapshots.discard(first);
    snapshots.file(manifest(id, hlc, taken, ""));
    assertHolds(id, hlc, "the first came to nothing");
  }

  @Test
  void aSnapshotNearAnotherStartsFromItAndIsStillCompleteAndIndependent() throws IOException {
    change(400);
    Ref far = take("far", history.now(), Kind.INSTANT, Ref.NONE);
    change(100);
    long near = history.now();
    Ref base = take("near", near, Kind.INSTANT, Ref.NONE);
    change(2);
    long hlc = history.now();
    history.pagesRead = 0;
    for (long at : List.of(hlc, near - 1)) {
      Ref id = new Ref("s" + at, ++numbers);
      Taken taken = snapshots.take(new Order(id, at, Kind.RETROSPECTIVE, Ref.NONE), Watch.NONE);
      assertThat(taken.from()).isEqualTo("near");
      snapshots.file(manifest(id, at, taken, ""));
      assertHolds(id, at, "beside its base");
    }
    assertThat(history.pagesRead).isZero();
    snapshots.delete(base.id());
    snapshots.delete(far.id());
    assertHolds(new Ref("s" + hlc, numbers), hlc, "without its base");
    change(100);
    Ref id = new Ref("all", ++numbers);
    Order order = new Order(id, history.now(), Kind.INSTANT, Ref.NONE);
    assertThat(snapshots.take(order, Watch.NONE).from()).as("too much has changed").isEmpty();
  }

  @Test
  void aWindowThatMovesOnWhileANearbySnapshotIsLookedForOnlyHidesIt() {
    change(400);
    take("near", history.now(), Kind.INSTANT, Ref.NONE);
    change(2);
    long hlc = history.now();
    change(5);
    List<String> begunWith = new ArrayList<>();
    for (int looks = 0; looks < 12; looks++) {
      history.looksUntilGone = looks;
      Ref id = new Ref("s" + looks, ++numbers);
      Order order = new Order(id, hlc, Kind.RETROSPECTIVE, Ref.NONE);
      Taken taken = snapshots.take(order, Watch.NONE);
      begunWith.add(taken.from());
      assertThat(history.looksUntilGone).isEqualTo(-1);
      snapshots.file(manifest(id, hlc, taken, ""));
      assertHolds(id, hlc, "looks=" + looks);
      snapshots.delete(id.id());
    }
    // Two looks for the reach of the stores, two for the changes.
    assertThat(begunWith.subList(0, 4)).containsOnly("");
    // When the difference is to be laid over it.
    assertThat(begunWith.subList(4, 12)).contains("");
  }

  @Test
  void aSearchForANearbySnapshotReportsEachStepAndCanBeStoppedThere() {
    history.changeKeys(40_000);
    take("near", history.now(), Kind.INSTANT, Ref.NONE);
    history.changeKeys(9_000);
    history.pagesRead = 0;
    int steps = progressWhileSearching(Integer.MAX_VALUE);
    assertThat(steps).isGreaterThan(3);
    for (int wantedFor = 0; wantedFor < steps; wantedFor++) {
      assertThat(progressWhileSearching(wantedFor)).isEqualTo(wantedFor + 1);
      assertThat(folder.resolve("first/s")).doesNotExist();
    }
    assertThat(history.pagesRead).isZero();
  }

  @Test
  void aSearchForANearbySnapshotEndsWhenTooMuchHasChanged() {
    change(400);
    take("near", history.now(), Kind.INSTANT, Ref.NONE);
    history.step = Hlc.ofMicros(10_000_000);
    int few = progressAfter(5);
    assertThat(progressAfter(60)).isLessThan(few / 2);
  }

  private int progressAfter(int changes) {
    change(changes);
    return progressWhileSearching(Integer.MAX_VALUE);
  }

  /** The number of progress reports before the snapshot settles, during the search. */
  private int progressWhileSearching(int wantedFor) {
    int[] reports = {0};
    Order order = new Order(new Ref("s", ++numbers), history.now(), Kind.INSTANT, Ref.NONE);
    boolean[] settled = {false};
    history.whenSettled = () -> settled[0] = true;
    Watch watch = (keys, bytes) -> settled[0] || reports[0]++ < wantedFor;
    if (wantedFor == Integer.MAX_VALUE) {
      snapshots.take(order, watch);
      snapshots.discard(order.id());
    } else {
      assertThatThrownBy(() -> snapshots.take(order, watch)).hasMessage("cancelled");
    }
    return reports[0];
  }

  @Test
  void aKeyThatChangesOftenCountsOnceInTheSearchForANearbySnapshot() {
    change(400);
    take("near", history.now(), Kind.INSTANT, Ref.NONE);
    history.step = Hlc.ofMicros(1_000_000);
    history.keys = 2;
    change(100);
    Order order = new Order(new Ref("s", ++numbers), history.now(), Kind.INSTANT, Ref.NONE);
    assertThat(snapshots.take(order, Watch.NONE).from()).isEqualTo("near");
    // To go through as many changes as this is not less work than to read all keys.
    change(1_000);
    Order busy = new Order(new Ref("busy", ++numbers), history.now(), Kind.INSTANT, Ref.NONE);
    assertThat(snapshots.take(busy, Watch.NONE).from()).isEmpty();
  }

  @Test
  void aWindowThatMovesOnWhileKeysAreReadSlowlyDoesNotSpoilASnapshotOverABase() {
    begin(3, new WindowLogConfig(Duration.ofHours(1), 600_000), "slow");
    history.keys = 10;
    history.valueBytes = 500;
    change(100);
    Ref base = take("base", history.now(), Kind.INSTANT, Ref.NONE);
    change(100);
    long hlc = history.now();
    history.changesDuringAPage = 300;
    history.nanosAKey = 1_000_000_000;
    Ref id = new Ref("s", ++numbers);
    Order order = new Order(id, hlc, Kind.INCREMENTAL, base);
    Taken taken = snapshots.take(order, new Pace(1, () -> history.nanos, n -> {}), Watch.NONE);
    assertThat(history.past("one").reach()).isGreaterThan(hlc);
    snapshots.file(manifest(id, hlc, taken, ""));
    assertHolds(id, hlc, "slow");
  }

  @Test
  void aChainOfSnapshotsThatBeginWithEachOtherStaysShortAndEqualsTheReplay() throws IOException {
    for (long seed = 0; seed < SEEDS; seed++) {
      begin(seed, WindowLogConfig.DEFAULT, "seed" + seed);
      change(300);
      for (int i = 0; i < 3 * Taking.RUNS_MAX; i++) {
        change(1 + i % 3);
        long hlc = history.now();
        Ref id = take("s" + i, hlc, Kind.INSTANT, Ref.NONE);
        assertHolds(id, hlc, "seed=%d i=%d".formatted(seed, i));
        assertThat(files("seed" + seed, "s" + i).size()).isLessThanOrEqualTo(Taking.RUNS_MAX + 2);
        snapshots.delete("s" + Math.max(0, i - 2));
      }
    }
  }
}
