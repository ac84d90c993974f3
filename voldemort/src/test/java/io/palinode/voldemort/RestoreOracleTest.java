package io.palinode.voldemort;

import static io.palinode.voldemort.TestNodes.version;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.binding.StoreKey;
import io.palinode.hvc.Hlc;
import io.palinode.store.binding.UndoLog.KeyRecord;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.node.NodeSettings;
import io.palinode.store.past.PastOnDisk;
import io.palinode.voldemort.TestNodes.Medium;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Restore against an oracle that keeps every state there ever was: random puts, siblings and
 * deletes, plans with several attempts, merges in between, targets also before earlier plans.
 */
class RestoreOracleTest {
  private static final StoreKey HELD = TestNodes.keyOn(0);

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({"MEMORY, 200", "BDB, 12"})
  void aRestoreGivesTheStateThatReplayingUpToTheTargetGives(Medium medium, int seeds)
      throws RefusedException {
    for (long seed = 0; seed < seeds; seed++) {
      Path data = folder.resolve("seed" + seed);
      try (Run run = new Run(() -> medium.open(data), null, seed)) {
        for (int epoch = 1; epoch <= 4; epoch++) {
          run.write(60);
          run.rollBack(epoch);
        }
      }
    }
  }

  /** Targets before restarts are in reach, whether the node was stopped or killed. */
  @ParameterizedTest
  @CsvSource({"60, false", "8, true"})
  void aRestoreMatchesTheOracleAcrossARestart(int seeds, boolean bdb) throws RefusedException {
    for (long seed = 0; seed < seeds; seed++) {
      Path data = folder.resolve("seed" + seed);
      StorageEngine kept = Medium.MEMORY.open(data);
      PastOnDisk disk = PastOnDiskTest.in(data.resolve("logs"), "a");
      try (Run run = new Run(() -> bdb ? Medium.BDB.open(data.resolve("bdb")) : kept, disk, seed)) {
        for (int epoch = 1; epoch <= 4; epoch++) {
          run.write(30);
          run.restart();
          run.write(30);
          run.rollBack(epoch);
          run.restart();
        }
      }
    }
  }

  /** A state, and when it began. {@code repair}: it came about in steps that ended then. */
  private record Moment(long hlc, Map<StoreKey, List<Versioned>> state, boolean repair) {}

  private static final class Run implements AutoCloseable {
    private final AtomicLong micros = TestNodes.clock();
    private final Random random;
    private final String label;
    private final Supplier<StorageEngine> opener;
    private final @Nullable PastOnDisk disk;
    private final List<Moment> history = new ArrayList<>();
    private StorageEngine engine;
    private StoreNode node;

    Run(Supplier<StorageEngine> opener, @Nullable PastOnDisk disk, long seed) {
      random = new Random(seed);
      label = "seed=" + seed;
      this.opener = opener;
      this.disk = disk;
      this.engine = opener.get();
      this.node = new StoreNode(TestNodes.config(), engine, micros::get, disk);
      history.add(new Moment(node.reach(), Map.of(), false));
    }

    void restart() {
      long reach = node.reach();
      if (random.nextBoolean()) {
        node.close();
      } else {
        // Of a killed process, nothing but what is on disk.
        engine.close();
      }
      micros.addAndGet(200_000 + random.nextInt(1000));
      engine = opener.get();
      node = new StoreNode(TestNodes.config(), engine, micros::get, disk);
      assertThat(node.reach()).as(label).isEqualTo(reach);
      assertThat(actual()).as(label).isEqualTo(now());
    }

    void write(int writes) throws RefusedException {
      for (int i = 0; i < writes; i++) {
        // Now and then two writes in one microsecond, now and then seconds without any.
        micros.addAndGet(random.nextInt(20) == 0 ? 700_000 : random.nextInt(3));
        StoreKey key = randomKey();
        Map<StoreKey, List<Versioned>> next = new HashMap<>(now());
        Reply<Boolean> reply = random.nextInt(4) == 0 ? delete(key, next) : put(key, next);
        next.values().removeIf(List::isEmpty);
        if (reply.value()) {
          history.add(new Moment(reply.acceptedAt(), next, false));
        }
      }
    }

    private Reply<Boolean> put(StoreKey key, Map<StoreKey, List<Versioned>> next)
        throws RefusedException {
      Versioned version = randomVersion();
      List<Versioned> stored = next.getOrDefault(key, List.of());
      List<Versioned> expected = Siblings.put(stored, version);
      if (expected == null) {
        // Obsolete: let a version that is certainly new stand in for it.
        version = new Versioned(version.value(), newerThanAll(stored));
        expected = Objects.requireNonNull(Siblings.put(stored, version));
      }
      next.put(key, expected);
      return node.writes().put(key, version, Caller.STOCK);
    }

    private Reply<Boolean> delete(StoreKey key, Map<StoreKey, List<Versioned>> next)
        throws RefusedException {
      VectorClock upTo = randomVersion().clock();
      next.computeIfPresent(key, (k, stored) -> Siblings.delete(stored, upTo));
      return node.writes().delete(key, upTo, Caller.STOCK);
    }

    void rollBack(int epoch) {
      micros.addAndGet(random.nextInt(1000));
      node.pause(epoch);
      long target = 0;
      for (int attempt = 1; attempt <= 3; attempt++) {
        target = randomTarget();
        restore(epoch, attempt, target);
        merge();
      }
      node.resume(epoch, target, 0);
    }

    private void restore(int epoch, int attempt, long target) {
      long windowMicros = NodeSettings.CONVERGENCE_WINDOW_DEFAULT.toNanos() / 1_000;
      Set<StoreKey> near = changedSince(target - Hlc.ofMicros(windowMicros));
      var restoration = node.restore(epoch, attempt, target);
      Map<StoreKey, List<Versioned>> expected = stateAt(target);
      assertThat(actual())
          .as("%s epoch=%d attempt=%d target=%s", label, epoch, attempt, Hlc.format(target))
          .isEqualTo(expected);
      // A key that an undo changed twice may be named in addition; none may be missing.
      assertThat(restoration.changed()).as(label).doesNotHaveDuplicates().containsAll(near);
      history.add(new Moment(node.clock().last().own(), expected, true));
    }

    private void merge() {
      Map<StoreKey, List<Versioned>> next = new HashMap<>(now());
      List<KeyRecord> records = new ArrayList<>();
      for (int i = random.nextInt(6); i > 0; i--) {
        StoreKey key = randomKey();
        List<Versioned> added = List.of(randomVersion());
        records.add(new KeyRecord(key, Siblings.encode(added), new byte[0]));
        next.put(key, Siblings.merge(next.getOrDefault(key, List.of()), added));
      }
      node.merge(records);
      assertThat(actual()).as(label).isEqualTo(next);
      history.add(new Moment(node.clock().last().own(), next, true));
    }

    /** Any time in reach at which no repair was half done. */
    private long randomTarget() {
      while (true) {
        Moment at = history.get(random.nextInt(history.size()));
        long target = at.hlc() + (random.nextBoolean() ? 0 : random.nextInt(3));
        Moment next = firstAfter(target);
        if (next == null || !next.repair() || target == at.hlc()) {
          return target;
        }
      }
    }

    private @Nullable Moment firstAfter(long hlc) {
      return history.stream().filter(moment -> moment.hlc() > hlc).findFirst().orElse(null);
    }

    private Map<StoreKey, List<Versioned>> stateAt(long target) {
      Map<StoreKey, List<Versioned>> state = Map.of();
      for (Moment moment : history) {
        if (moment.hlc() <= target) {
          state = moment.state();
        }
      }
      return state;
    }

    /** The keys whose versions differ between any two states after {@code since}. */
    private Set<StoreKey> changedSince(long since) {
      Set<StoreKey> changed = new HashSet<>();
      for (int i = 1; i < history.size(); i++) {
        if (history.get(i).hlc() > since) {
          Map<StoreKey, List<Versioned>> before = history.get(i - 1).state();
          Map<StoreKey, List<Versioned>> after = history.get(i).state();
          Set<StoreKey> keys = new HashSet<>(before.keySet());
          keys.addAll(after.keySet());
          keys.removeIf(
              key ->
                  before.getOrDefault(key, List.of()).equals(after.getOrDefault(key, List.of())));
          changed.addAll(keys);
        }
      }
      return changed;
    }

    private Map<StoreKey, List<Versioned>> actual() {
      return TestNodes.stateOf(node);
    }

    private Map<StoreKey, List<Versioned>> now() {
      return history.get(history.size() - 1).state();
    }

    private StoreKey randomKey() {
      return random.nextInt(5) == 0 ? HELD : TestNodes.key("k" + random.nextInt(12));
    }

    private Versioned randomVersion() {
      return version(
          "v" + random.nextInt(1_000_000),
          random.nextInt(5) + 1L,
          random.nextInt(5),
          random.nextInt(5));
    }

    private static VectorClock newerThanAll(List<Versioned> stored) {
      VectorClock clock = VectorClock.EMPTY;
      for (Versioned version : stored) {
        clock = clock.merge(version.clock());
      }
      return clock.incremented(0, 0);
    }

    @Override
    public void close() {
      node.close();
    }
  }
}
