package io.palinode.retroscope.snapshot;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.retroscope.WindowLogConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Snapshots at the same time of which the first is cancelled, discarded or stalled. */
@Timeout(300)
class FailedTakingsAtOnceTest extends TakingsAtOnceFixture {
  /** From 2 on; the nightly profile has more. */
  private static final int LAST_SEED = Math.min(5, Integer.getInteger("palinode.seeds", 2));

  @Test
  void aSnapshotThatWaitsForACancelledOneTakesAllKeysThoughTheWindowHasMoved() throws IOException {
    for (long seed = 2; seed <= LAST_SEED; seed++) {
      begin(seed, new WindowLogConfig(Duration.ofHours(1), 600_000), "narrow" + seed);
      history.valueBytes = 500;
      change(100);
      Begun first = beginAtGate("first-" + seed, history.now());
      change(3);
      long hlc = history.now();
      Begun second = begin("second-" + seed, hlc);
      second.awaitWaiting();
      while (history.past("one").reach() <= hlc || history.past("two").reach() <= hlc) {
        change(200);
        second.awaitReports();
      }
      assertThat(second.pages()).isZero();
      first.cancel();
      open(first);
      assertThat(second.end().from()).isEmpty();
      assertThat(second.pages()).isPositive();
      first.assertCancelled();
      second.file();
      second.assertIsRight("seed=" + seed);
    }
  }

  @Test
  void aSnapshotWhoseFirstTakesLongerThanTheWindowTakesAllKeys() throws IOException {
    for (long seed = 2; seed <= LAST_SEED; seed++) {
      begin(seed, new WindowLogConfig(Duration.ofHours(1), 600_000), "narrow" + seed);
      history.valueBytes = 500;
      change(100);
      long hlc = history.now();
      change(3);
      Begun first = beginAtGate("first-" + seed, history.now());
      Begun second = begin("second-" + seed, hlc);
      second.awaitWaiting();
      while (history.past("one").reach() <= hlc || history.past("two").reach() <= hlc) {
        change(200);
        second.awaitReports();
      }
      // The first may fail or not; the second cannot use it.
      open(first);
      assertThat(second.end().from()).isEmpty();
      second.file();
      second.assertIsRight("seed=" + seed);
    }
  }

  @Test
  void aWaitingSnapshotReportsProgressAndCanBeStoppedThere() throws IOException {
    change(400);
    Begun first = beginAtGate("first", history.now());
    change(2);
    Begun second = begin("second", history.now());
    second.awaitWaiting();
    second.awaitReports();
    second.cancel();
    second.assertCancelled();
    assertThat(second.pages()).isZero();
    open(first);
    first.file();
    first.assertIsRight("the second was cancelled");
  }

  @Test
  void ofThreeWhoseFirstFailsTheThirdWaitsForTheSecond() throws IOException {
    change(400);
    long farther = history.now();
    change(1);
    Begun first = beginAtGate("first", history.now());
    gates.put("second", new Gate());
    Gate gate = requireNonNull(gates.get("second"));
    Begun second = begin("second", farther);
    second.awaitWaiting();
    change(1);
    Begun third = begin("third", history.now());
    third.awaitWaiting();
    first.cancel();
    open(first);
    first.assertCancelled();
    Gate.await(gate.reached);
    third.awaitReports();
    assertThat(third.pages()).isZero();
    open(second);
    assertThat(third.end().from()).isEqualTo("second");
    assertThat(third.pages()).isZero();
    assertThat(second.end().from()).isEmpty();
    second.file();
    third.file();
    second.assertIsRight("of three");
    third.assertIsRight("of three");
  }

  @Test
  void aPartThatIsDiscardedBeforeItIsLinkedIsNotNeeded() throws IOException {
    for (long seed = 2; seed <= LAST_SEED; seed++) {
      begin(seed, WindowLogConfig.DEFAULT, "seed" + seed);
      change(400);
      Begun first = beginAtGate("first-" + seed, history.now());
      change(2);
      Begun second = new Begun("second-" + seed, history.now()).start(Pace.unlimited());
      second.awaitWaiting();
      change(30);
      Path part = files.resolve(first.id.id()).resolve("part-" + first.id.number());
      // In the second, when it counts the changes since the first, whose part it has.
      history.whenLookedAt =
          inThreadOf(
              second,
              () -> {
                if (Files.exists(part)) {
                  snapshots.discard(first.id);
                }
              });
      open(first);
      assertThat(second.end().from()).isEmpty();
      assertThat(second.pages()).isPositive();
      assertThat(files.resolve(first.id.id())).doesNotExist();
      second.file();
      second.assertIsRight("seed=" + seed);
    }
  }

  @Test
  void aPartThatIsDiscardedWhenItIsLinkedIsThereNevertheless() throws IOException {
    change(400);
    Begun first = beginAtGate("first", history.now());
    change(2);
    Begun second = new Begun("second", history.now()).start(Pace.unlimited());
    second.awaitWaiting();
    AtomicInteger links = new AtomicInteger();
    history.whenSettled =
        inThreadOf(
            second,
            () -> {
              if (isLinked(files.resolve("second"))) {
                links.incrementAndGet();
                snapshots.discard(first.id);
              }
            });
    open(first);
    assertThat(second.end().from()).isEqualTo("first");
    assertThat(links).hasPositiveValue();
    assertThat(files.resolve("first")).doesNotExist();
    second.file();
    second.assertIsRight("discarded");
  }

  @Test
  void aWindowThatMovesWhileAPartIsLinkedDropsNoHeldEntry() throws IOException {
    for (long seed = 2; seed <= LAST_SEED; seed++) {
      begin(seed, new WindowLogConfig(Duration.ofHours(1), 600_000), "narrow" + seed);
      history.valueBytes = 500;
      change(100);
      long hlc = history.now();
      Begun first = beginAtGate("first-" + seed, hlc);
      change(3);
      Begun second = begin("second-" + seed, history.now());
      second.awaitWaiting();
      // More than the window loses at once; the second has collected it.
      for (int i = 0; i < 8; i++) {
        change(300);
        second.awaitReports();
      }
      assertThat(history.past("one").reach()).isLessThan(hlc);
      Path linked = files.resolve(second.id.id());
      history.whenSettled =
          inThreadOf(
              second,
              () -> {
                while (isLinked(linked) && history.past("one").reach() <= hlc) {
                  change(20);
                }
              });
      open(first);
      assertThat(second.end().from()).isEmpty();
      assertThat(history.past("one").reach()).isGreaterThan(hlc);
      second.file();
      second.assertIsRight("seed=" + seed);
    }
  }

  /** A linked file has two names. */
  private static boolean isLinked(Path of) {
    try (var found = Files.list(of)) {
      for (Path file : found.toList()) {
        if ((int) Files.getAttribute(file, "unix:nlink") > 1) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Runnable inThreadOf(Begun begun, Runnable action) {
    return () -> {
      if (Thread.currentThread().getName().equals(begun.id.id())) {
        action.run();
      }
    };
  }

  @Test
  void aSnapshotThatWaitsForAStalledOneContinuesWithoutIt() throws IOException {
    change(400);
    Begun first = beginAtGate("first", history.now());
    change(2);
    Begun second = begin("second", history.now());
    second.awaitWaiting();
    silence.addAndGet(Takings.NO_PROGRESS_NANOS_MAX - 1);
    second.awaitReports();
    assertThat(second.pages()).isZero();
    silence.addAndGet(1);
    assertThat(second.end().from()).isEmpty();
    second.file();
    second.assertIsRight("the first has stalled");
    snapshots.delete("second");
    // By now no snapshot waits for it.
    settled.clear();
    Begun third = begin("third", history.now());
    assertThat(third.end().from()).isEmpty();
    third.file();
    third.assertIsRight("the first has stalled");
    open(first);
    first.file();
    first.assertIsRight("it continues");
  }
}
