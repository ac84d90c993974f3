package io.palinode.retroscope.snapshot;

import static io.palinode.retroscope.snapshot.LocalSnapshotsTest.NODE;
import static io.palinode.retroscope.snapshot.LocalSnapshotsTest.manifest;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.palinode.retroscope.WindowLogConfig;
import io.palinode.retroscope.snapshot.file.Kind;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import io.palinode.retroscope.snapshot.file.Ref;
import io.palinode.retroscope.snapshot.file.SnapshotException;
import io.palinode.retroscope.snapshot.file.SnapshotFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots that are taken at the same time, each in a thread that has its name. */
@Timeout(300)
class TakingsAtOnceTest {
  private static final int SEEDS = Math.min(2_000, Integer.getInteger("palinode.seeds", 300));
  private static final int TAKINGS_MAX = 5;
  private static final long SECOND = 1_000_000_000;

  @TempDir Path folder;
  private final AtomicLong silence = new AtomicLong();
  private final AtomicLong seconds = new AtomicLong();

  /** Each reading of the clock adds a second, so a waiting snapshot collects at each report. */
  private long hasty() {
    return seconds.addAndGet(SECOND);
  }

  private final Map<String, Gate> gates = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> pages = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> settled = new ConcurrentHashMap<>();
  private MapHistory history;
  private LocalSnapshots snapshots;
  private Path files;
  private long numbers;

  /** Where a taking stops before its first page until it is let through. */
  private static final class Gate {
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch open = new CountDownLatch(1);

    void pass() {
      reached.countDown();
      await(open);
    }

    private static void await(CountDownLatch latch) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }
  }

  @BeforeEach
  void begin() {
    begin(7, WindowLogConfig.DEFAULT, "first");
  }

  private void begin(long seed, WindowLogConfig config, String name) {
    history = new MapHistory(new Random(seed), config);
    history.whenPaged = this::paged;
    history.whenSettled = () -> count(settled);
    files = folder.resolve(name);
    // With every other seed, three keys or so fit into memory.
    long heapBytesMax = seed % 2 == 0 ? 500 : LocalSnapshots.HEAP_BYTES_MAX;
    SnapshotFolder of = new SnapshotFolder(files, synced -> {}, RoomTest.PLENTY);
    snapshots = new LocalSnapshots(NODE, history, of, heapBytesMax, new Takings(silence::get));
  }

  private void paged() {
    count(pages);
    Gate gate = gates.get(Thread.currentThread().getName());
    if (gate != null) {
      gate.pass();
    }
  }

  private static void count(Map<String, AtomicInteger> times) {
    times
        .computeIfAbsent(Thread.currentThread().getName(), id -> new AtomicInteger())
        .incrementAndGet();
  }

  /** So that a test that fails leaves no thread behind. */
  @AfterEach
  void letThrough() {
    gates.values().forEach(gate -> gate.open.countDown());
  }

  /** A taking in its own thread. */
  private final class Begun {
    private final Ref id;
    private final long hlc;
    private final AtomicInteger reports = new AtomicInteger();
    private volatile boolean wanted = true;
    private volatile int wantedFor = Integer.MAX_VALUE;
    private @Nullable CompletableFuture<Taken> taken;

    Begun(String id, long hlc) {
      this.id = new Ref(id, ++numbers);
      this.hlc = hlc;
    }

    Begun start(Pace pace) {
      Order order = new Order(id, hlc, Kind.RETROSPECTIVE, Ref.NONE);
      taken =
          CompletableFuture.supplyAsync(
              () -> snapshots.take(order, pace, this::isWanted), this::inThread);
      return this;
    }

    private void inThread(Runnable task) {
      Thread thread = new Thread(task, id.id());
      thread.setDaemon(true);
      thread.start();
    }

    private boolean isWanted(long keys, long bytes) {
      return reports.incrementAndGet() <= wantedFor && wanted;
    }

    CompletableFuture<Taken> taken() {
      return requireNonNull(taken);
    }

    int pages() {
      AtomicInteger read = pages.get(id.id());
      return read == null ? 0 : read.get();
    }

    /** Waits until the snapshot has begun to collect its past and reports progress: it waits. */
    void awaitWaiting() {
      awaitOrEnd(() -> settled.containsKey(id.id()));
      awaitReports();
      assertThat(taken().isDone()).as("%s has not waited", id).isFalse();
      assertThat(pages()).as("pages of %s", id).isZero();
    }

    /** Waits for three reports, so a full round has begun since the call. */
    void awaitReports() {
      int enough = reports.get() + 3;
      awaitOrEnd(() -> reports.get() >= enough);
    }

    private void awaitOrEnd(BooleanSupplier condition) {
      await()
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(1))
          .until(() -> condition.getAsBoolean() || taken().isDone());
    }

    void cancel() {
      wanted = false;
    }

    void assertCancelled() throws IOException {
      assertThatThrownBy(() -> taken().join())
          .hasCauseInstanceOf(SnapshotException.class)
          .hasMessageEndingWith("cancelled");
      assertThat(files.resolve(id.id())).doesNotExist();
    }

    Taken end() {
      return taken().join();
    }

    void file() {
      snapshots.file(manifest(id, hlc, end(), ""));
    }

    void assertIsRight(String as) throws IOException {
      Map<String, String> expected = history.at(hlc);
      assertThat(LocalSnapshotsTest.read(snapshots, id.id()))
          .as("%s %s hlc=%d", as, id, hlc)
          .isEqualTo(expected);
      assertThat(snapshots.verify(id.id()).keys()).as("%s %s", as, id).isEqualTo(expected.size());
      List<String> named = new ArrayList<>(List.of("manifest", "part-" + id.number()));
      try (OpenSnapshot opened = snapshots.open(id.id())) {
        opened.part().runs().forEach(run -> named.add(run.name()));
      }
      try (var found = Files.list(files.resolve(id.id()))) {
        assertThat(found.map(file -> file.getFileName().toString()))
            .as("%s %s", as, id)
            .containsExactlyInAnyOrderElementsOf(named);
      }
    }
  }

  private Begun begin(String id, long hlc) {
    return new Begun(id, hlc).start(new Pace(1, this::hasty, nanos -> {}));
  }

  /** Starts a snapshot that stops before its first page. */
  private Begun beginAtGate(String id, long hlc) {
    Gate gate = new Gate();
    gates.put(id, gate);
    Begun begun = begin(id, hlc);
    Gate.await(gate.reached);
    return begun;
  }

  private void open(Begun begun) {
    requireNonNull(gates.remove(begun.id.id())).open.countDown();
  }

  private void change(int times) {
    for (int i = 0; i < times; i++) {
      history.change();
    }
  }

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
  void aSnapshotThatWaitsForACancelledOneTakesAllKeysThoughTheWindowHasMoved() throws IOException {
    for (long seed = 2; seed <= 3; seed++) {
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
    for (long seed = 2; seed <= 3; seed++) {
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
    for (long seed = 2; seed <= 3; seed++) {
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
    for (long seed = 2; seed <= 3; seed++) {
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
