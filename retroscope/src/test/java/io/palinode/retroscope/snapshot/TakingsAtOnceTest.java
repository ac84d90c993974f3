package io.palinode.retroscope.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.retroscope.WindowLogConfig;
import io.palinode.retroscope.snapshot.file.Kind;
import io.palinode.retroscope.snapshot.file.Ref;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Snapshots at the same time that share pages, compared with the replay. */
@Timeout(300)
class TakingsAtOnceTest extends TakingsAtOnceFixture {
  private static final int SEEDS = Math.min(2_000, Integer.getInteger("palinode.seeds", 100));
  private static final int TAKINGS_MAX = 5;

  @Test
  void aSnapshotThatIsTakenBesideAnotherReadsNoPageAndBeginsWithIt() throws IOException {
    for (long seed = 1; seed <= 2; seed++) {
      begin(seed, WindowLogConfig.DEFAULT, "seed" + seed);
      change(400);
      for (boolean isLater : new boolean[] {true, false}) {
        String as = "seed=%d isLater=%s".formatted(seed, isLater);
        change(200);
        long early = history.now();
        change(2);
        long late = history.now();
        change(2);
        Begun first = beginAtGate("first-%s-%d".formatted(isLater, seed), isLater ? early : late);
        Begun second = begin("second-%s-%d".formatted(isLater, seed), isLater ? late : early);
        second.awaitWaiting();
        change(30);
        second.awaitReports();
        open(first);
        assertThat(second.end().from()).as(as).isEqualTo(first.id.id());
        assertThat(second.end().changed()).as(as).isLessThanOrEqualTo(2);
        assertThat(second.pages()).as(as).isZero();
        first.file();
        first.assertIsRight(as);
        snapshots.delete(first.id.id());
        second.file();
        second.assertIsRight(as);
        snapshots.delete(second.id.id());
      }
    }
  }

  @Test
  void twoOfOneTimeShareAllOfIt() throws IOException {
    change(400);
    long hlc = history.now();
    Begun first = beginAtGate("first", hlc);
    Begun second = begin("second", hlc);
    second.awaitWaiting();
    change(30);
    open(first);
    assertThat(second.end().from()).isEqualTo("first");
    assertThat(second.end().changed()).isZero();
    second.file();
    second.assertIsRight("of one time");
  }

  @Test
  void aSnapshotThatEndsWhileAnotherLooksForOneIsBegunWith() throws IOException {
    change(400);
    Begun first = beginAtGate("first", history.now());
    change(2);
    history.whenLookedAt =
        () -> {
          if (Thread.currentThread().getName().equals("second") && !first.taken().isDone()) {
            open(first);
            first.end();
          }
        };
    Begun second = begin("second", history.now());
    assertThat(second.end().from()).isEqualTo("first");
    assertThat(second.pages()).isZero();
    second.file();
    second.assertIsRight("the first had ended");
  }

  @Test
  void aWaitIsNotTakenForWork() {
    change(400);
    Begun first = beginAtGate("first", history.now());
    AtomicLong worked = new AtomicLong();
    List<Long> pauses = new ArrayList<>();
    Pace pace = new Pace(0.5, worked::get, pauses::add);
    Begun second = new Begun("second", history.now()).start(pace);
    second.awaitWaiting();
    // The clock advances during the wait, and no pause follows from that.
    worked.addAndGet(SECOND);
    open(first);
    assertThat(second.end().from()).isEqualTo("first");
    assertThat(pauses).isEmpty();
  }

  @Test
  void aTimeFarAwayIsNotWaitedFor() throws IOException {
    change(100);
    Begun first = beginAtGate("first", history.now());
    // More keys than a quarter of what a store may well have.
    history.changeKeys((int) LocalSnapshots.KEYS_GUESSED / 4 + 1_000);
    Begun second = begin("second", history.now());
    assertThat(second.end().from()).isEmpty();
    assertThat(first.taken().isDone()).isFalse();
    open(first);
    first.end();
    second.file();
    second.assertIsRight("far away");
  }

  @Test
  void aTimeThatTheWindowHasPassedIsNotWaitedFor() throws IOException {
    begin(3, new WindowLogConfig(Duration.ofHours(1), 600_000), "narrow");
    history.valueBytes = 500;
    change(100);
    long hlc = history.now();
    Begun first = beginAtGate("first", hlc);
    while (history.past("one").reach() <= hlc) {
      change(200);
    }
    Begun second = begin("second", history.now());
    assertThat(second.end().from()).isEmpty();
    assertThat(first.taken().isDone()).isFalse();
    second.file();
    second.assertIsRight("out of reach");
  }

  @Test
  void anIncrementalTakingNeitherWaitsNorIsWaitedFor() throws IOException {
    change(400);
    Begun base = begin("base", history.now());
    base.file();
    change(200);
    Begun first = beginAtGate("first", history.now());
    Ref id = new Ref("over", ++numbers);
    Order order = new Order(id, history.now(), Kind.INCREMENTAL, base.id);
    Taken taken = snapshots.take(order, Watch.NONE);
    assertThat(taken.changed()).isPositive();
    assertThat(first.taken().isDone()).isFalse();
    open(first);
    first.end();
  }

  @Timeout(900)
  @Test
  void takingsAtOnceEqualTheReplay() throws IOException {
    int shared = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      shared += takeAtOnce(seed);
    }
    // Else the run would not test shared snapshots.
    assertThat(shared).isGreaterThan(SEEDS / 4);
  }

  /** How many began with another. */
  private int takeAtOnce(long seed) throws IOException {
    Random random = new Random(seed);
    begin(seed, WindowLogConfig.DEFAULT, "seed" + seed);
    change(60);
    history.changesDuringAPage = random.nextInt(3);
    List<Long> times = history.times();
    Map<Begun, Boolean> isKept = new HashMap<>();
    List<Begun> all = new ArrayList<>();
    int takings = 2 + random.nextInt(TAKINGS_MAX - 1);
    for (int i = 0; i < takings; i++) {
      long hlc = times.get(times.size() - 1 - random.nextInt(random.nextBoolean() ? 3 : 60));
      Begun begun = new Begun("s%d-%d".formatted(seed, i), hlc);
      begun.wantedFor = random.nextInt(4) == 0 ? random.nextInt(30) : Integer.MAX_VALUE;
      isKept.put(begun, random.nextInt(4) > 0);
      all.add(begun);
    }
    // Some begin when others are at their first page; the last ones stand nowhere.
    for (Begun begun : all) {
      if (random.nextInt(3) == 0) {
        gates.put(begun.id.id(), new Gate());
      }
      begun.start(random.nextBoolean() ? Pace.unlimited() : new Pace(1, this::hasty, nanos -> {}));
    }
    change(random.nextInt(40));
    for (Begun begun : all) {
      begun.awaitOrEnd(() -> begun.reports.get() > 0 || settled.containsKey(begun.id.id()));
    }
    change(random.nextInt(40));
    letThrough();
    gates.clear();
    int shared = 0;
    for (Begun begun : all) {
      shared += finished(begun, Boolean.TRUE.equals(isKept.get(begun)));
    }
    for (Begun begun : all) {
      boolean isThere = Files.exists(files.resolve(begun.id.id()));
      assertThat(isThere).as("seed=%d %s", seed, begun.id).isEqualTo(hasEnded(begun, isKept));
      if (isThere) {
        begun.assertIsRight("seed=" + seed);
      }
    }
    return shared;
  }

  private static boolean hasEnded(Begun begun, Map<Begun, Boolean> isKept) {
    return Boolean.TRUE.equals(isKept.get(begun)) && !begun.taken().isCompletedExceptionally();
  }

  private int finished(Begun begun, boolean isKept) {
    try {
      Taken taken = begun.end();
      if (isKept) {
        begun.file();
      } else {
        snapshots.discard(begun.id);
      }
      return taken.from().isEmpty() ? 0 : 1;
    } catch (java.util.concurrent.CompletionException cancelled) {
      assertThat(cancelled).hasMessageEndingWith("cancelled");
      return 0;
    }
  }
}
