package io.palinode.retroscope.snapshot;

import static io.palinode.retroscope.snapshot.LocalSnapshotsFixture.NODE;
import static io.palinode.retroscope.snapshot.LocalSnapshotsFixture.manifest;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
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
import org.junit.jupiter.api.io.TempDir;

/** Snapshots that are taken at the same time, each in a thread that has its name. */
class TakingsAtOnceFixture {
  static final long SECOND = 1_000_000_000;

  @TempDir Path folder;
  final AtomicLong silence = new AtomicLong();
  private final AtomicLong seconds = new AtomicLong();

  /** Each reading of the clock adds a second, so a waiting snapshot collects at each report. */
  long hasty() {
    return seconds.addAndGet(SECOND);
  }

  final Map<String, Gate> gates = new ConcurrentHashMap<>();
  final Map<String, AtomicInteger> pages = new ConcurrentHashMap<>();
  final Map<String, AtomicInteger> settled = new ConcurrentHashMap<>();
  MapHistory history;
  LocalSnapshots snapshots;
  Path files;
  long numbers;

  /** Where a taking stops before its first page until it is let through. */
  static final class Gate {
    final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch open = new CountDownLatch(1);

    void pass() {
      reached.countDown();
      await(open);
    }

    static void await(CountDownLatch latch) {
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

  final void begin(long seed, WindowLogConfig config, String name) {
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
  final class Begun {
    final Ref id;
    private final long hlc;
    final AtomicInteger reports = new AtomicInteger();
    private volatile boolean wanted = true;
    volatile int wantedFor = Integer.MAX_VALUE;
    @Nullable CompletableFuture<Taken> taken;

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

    void awaitOrEnd(BooleanSupplier condition) {
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
      assertThat(LocalSnapshotsFixture.read(snapshots, id.id()))
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

  Begun begin(String id, long hlc) {
    return new Begun(id, hlc).start(new Pace(1, this::hasty, nanos -> {}));
  }

  /** Starts a snapshot that stops before its first page. */
  Begun beginAtGate(String id, long hlc) {
    Gate gate = new Gate();
    gates.put(id, gate);
    Begun begun = begin(id, hlc);
    Gate.await(gate.reached);
    return begun;
  }

  void open(Begun begun) {
    requireNonNull(gates.remove(begun.id.id())).open.countDown();
  }

  void change(int times) {
    for (int i = 0; i < times; i++) {
      history.change();
    }
  }
}
