package io.palinode.voldemort;

import static io.palinode.voldemort.TestNodes.key;
import static io.palinode.voldemort.TestNodes.stateOf;
import static io.palinode.voldemort.TestNodes.vector;
import static io.palinode.voldemort.TestNodes.version;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detector.binding.StoreKey;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.retroscope.WindowLogConfig;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.retroscope.snapshot.Order;
import io.palinode.retroscope.snapshot.Taken;
import io.palinode.retroscope.snapshot.Watch;
import io.palinode.retroscope.snapshot.file.Kind;
import io.palinode.retroscope.snapshot.file.Manifest;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import io.palinode.retroscope.snapshot.file.Ref;
import io.palinode.retroscope.snapshot.file.SnapshotException;
import io.palinode.store.binding.UndoLog.KeyRecord;
import io.palinode.store.binding.UndoLog.Restoration;
import io.palinode.store.control.Agreement;
import io.palinode.voldemort.TestNodes.Medium;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes go to the cut of a snapshot that their window-logs do not reach. */
class SnapshotRestoreTest {
  private static final WindowLogConfig SMALL = new WindowLogConfig(Duration.ofHours(1), 256 << 10);
  private static final Ref SNAPSHOT = new Ref("good", 1);

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({"MEMORY, 40, true", "MEMORY, 10, false", "BDB, 4, true"})
  void everyNodeIsAtItsPartAndThenAllReplicasAreTheSame(Medium medium, int seeds, boolean isShort)
      throws RefusedException {
    for (int seed = 0; seed < seeds; seed++) {
      try (Cluster cluster =
          new Cluster(medium, folder.resolve("s" + seed), isShort ? SMALL : null)) {
        Random random = new Random(seed);
        cluster.write(random, 120, 30);
        long cut = cluster.take();
        List<Map<StoreKey, List<Versioned>>> then = cluster.states();
        cluster.write(random, 200, 60);
        if (isShort) {
          cluster.pad();
          assertThat(cluster.nodes.get(0).reach()).isGreaterThan(cut);
        }
        cluster.restore(1, 1);
        for (int id = 0; id < 3; id++) {
          assertThat(cluster.states().get(id))
              .as("seed=%d node=%d", seed, id)
              .isEqualTo(then.get(id));
        }
        cluster.converge(1, 1, cut);
        cluster.requireAlike("seed=" + seed);
        cluster.requireOnlyOf(then, "seed=" + seed);
        cluster.nodes.forEach(node -> node.resume(1, cut, 0));
      }
    }
  }

  /** Of a killed process, nothing but what was committed. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void killedAtAnyCommitItGoesOnWhereItWas(boolean isDone) throws RefusedException {
    int kills = 0;
    boolean wasKilled = true;
    while (wasKilled) {
      try (Cluster cluster = new Cluster(Medium.MEMORY, folder.resolve("k" + kills), SMALL)) {
        cluster.fill("old", 1);
        cluster.take();
        Map<StoreKey, List<Versioned>> then = stateOf(cluster.nodes.get(0));
        cluster.fill("new", 2);
        cluster.nodes.get(0).pause(1);
        wasKilled = cluster.killAtCommit(0, kills, isDone);
        if (wasKilled) {
          cluster.reopen(0);
          // Never taken for a state of the epoch before: some of it may be of the snapshot.
          assertThat(kills > 0 || isDone ? cluster.nodes.get(0).restoredEpoch() : 1)
              .as("kill=%d", kills)
              .isEqualTo(1);
          cluster.nodes.get(0).pause(1);
          cluster.restore(0, 1, 1);
        }
        assertThat(stateOf(cluster.nodes.get(0))).as("kill=%d", kills).isEqualTo(then);
        kills++;
      }
    }
    assertThat(kills).as("steps at which it was killed").isGreaterThanOrEqualTo(5);
  }

  @Test
  void aRepeatOfADoneStepReturnsTheSameAndChangesNothing() throws RefusedException {
    try (Cluster cluster = new Cluster(Medium.MEMORY, folder, SMALL)) {
      cluster.write(new Random(1), 100, 20);
      cluster.take();
      cluster.write(new Random(2), 100, 20);
      StoreNode node = cluster.nodes.get(0);
      node.pause(1);
      Restoration first = cluster.restore(0, 1, 1);
      cluster.engines.get(0).commits.clear();
      Restoration again = cluster.restore(0, 1, 1);
      assertThat(again.undoneWrites()).isEqualTo(first.undoneWrites()).isPositive();
      assertThat(again.replicas()).isEqualTo(first.replicas());
      assertThat(cluster.engines.get(0).commits).isEmpty();
    }
  }

  @Test
  void whatItDiscardedComesBackByAnUndoAsLongAsTheWindowLogReaches() throws RefusedException {
    try (Cluster cluster = new Cluster(Medium.MEMORY, folder, null)) {
      cluster.write(new Random(1), 100, 20);
      cluster.take();
      cluster.write(new Random(2), 100, 20);
      StoreNode node = cluster.nodes.get(0);
      Map<StoreKey, List<Versioned>> before = stateOf(node);
      long past = node.pause(1);
      cluster.restore(0, 1, 1);
      assertThat(stateOf(node)).isNotEqualTo(before);
      node.resume(1, past, 0);
      node.pause(2);
      node.restore(2, 1, past);
      assertThat(stateOf(node)).isEqualTo(before);
    }
  }

  @Test
  void elseTheUndoIsRefused() throws RefusedException {
    try (Cluster cluster = new Cluster(Medium.MEMORY, folder, SMALL)) {
      cluster.fill("old", 1);
      cluster.take();
      cluster.fill("new", 2);
      StoreNode node = cluster.nodes.get(0);
      long past = node.pause(1);
      cluster.restore(0, 1, 1);
      node.resume(1, past, 0);
      node.pause(2);
      assertThat(node.reach()).isGreaterThan(past);
      assertThatThrownBy(() -> node.restore(2, 1, past)).isInstanceOf(OutOfReachException.class);
    }
  }

  @Test
  void anotherTakingThanTheOneThatIsMeantIsRefused() throws RefusedException {
    try (Cluster cluster = new Cluster(Medium.MEMORY, folder, null)) {
      cluster.take();
      assertThatThrownBy(() -> cluster.snapshots.get(0).openVerified(new Ref("good", 7)))
          .isInstanceOf(SnapshotException.class)
          .hasMessageContaining("has taking 1 of snapshot good, not 7");
    }
  }

  /** Three nodes that hold every key, and their snapshots. */
  private static final class Cluster implements AutoCloseable {
    /** So many values of this length take several batches. */
    private static final int LARGE = 200_000;

    private static final int LARGE_KEYS = 60;

    private final AtomicLong micros = TestNodes.clock();
    private final Path data;
    private final WindowLogConfig log;
    private final List<ProbedEngine> engines = new ArrayList<>();
    private final List<StoreNode> nodes = new ArrayList<>();
    private final List<LocalSnapshots> snapshots = new ArrayList<>();
    private long counter;

    Cluster(Medium medium, Path data, @Nullable WindowLogConfig log) {
      this.data = data;
      this.log = log == null ? WindowLogConfig.DEFAULT : log;
      for (int id = 0; id < 3; id++) {
        engines.add(new ProbedEngine(medium.open(data.resolve("engine" + id))));
        nodes.add(node(id));
        snapshots.add(parts(id));
      }
    }

    private StoreNode node(int id) {
      StoreNodeConfig config =
          StoreNodeConfig.of(id, TestNodes.cluster(3), TestNodes.stores(3, Persistence.BDB))
              .with(settings -> settings.withWindowLog(log));
      return new StoreNode(config, engines.get(id), micros::get);
    }

    private LocalSnapshots parts(int id) {
      return new LocalSnapshots(id, nodes.get(id).history(), data.resolve("snapshots" + id));
    }

    void reopen(int id) {
      micros.addAndGet(1_000_000);
      nodes.set(id, node(id));
      snapshots.set(id, parts(id));
    }

    /** Puts and deletes, most on all replicas. */
    void write(Random random, int writes, int keys) throws RefusedException {
      for (int i = 0; i < writes; i++) {
        counter++;
        StoreKey key = key("k" + random.nextInt(keys));
        boolean isDelete = random.nextInt(5) == 0;
        for (StoreNode node : nodes) {
          micros.addAndGet(1_000);
          if (random.nextInt(8) > 0) {
            if (isDelete) {
              node.writes().delete(key, vector(counter), Caller.STOCK);
            } else {
              node.writes().put(key, version("v" + counter, counter), Caller.STOCK);
            }
          }
        }
      }
      micros.addAndGet(1_000_000);
    }

    void fill(String value, long newCounter) throws RefusedException {
      for (int i = 0; i < LARGE_KEYS; i++) {
        micros.addAndGet(10_000);
        String text = value + i + "x".repeat(LARGE);
        nodes.get(0).writes().put(key("k" + i), version(text, newCounter), Caller.STOCK);
      }
      micros.addAndGet(1_000_000);
    }

    /** So much that no window-log goes back to before it. */
    void pad() throws RefusedException {
      for (int i = 0; i < 5; i++) {
        counter++;
        for (StoreNode node : nodes) {
          micros.addAndGet(1_000);
          node.writes().put(key("pad" + i), version("x".repeat(LARGE), counter), Caller.STOCK);
          node.writes().put(key("pad" + i), version("y".repeat(LARGE), counter + 1), Caller.STOCK);
        }
      }
    }

    /** Returns its cut. */
    long take() {
      long cut = nodes.stream().mapToLong(node -> node.clock().last().own()).max().orElseThrow();
      for (int id = 0; id < 3; id++) {
        Order order = new Order(SNAPSHOT, cut, Kind.INSTANT, Ref.NONE);
        Taken taken = snapshots.get(id).take(order, Watch.NONE);
        Manifest.Member member =
            new Manifest.Member(id, taken.keys(), taken.bytes(), taken.checksum(), "");
        snapshots
            .get(id)
            .file(new Manifest(SNAPSHOT, cut, Kind.INSTANT, Ref.NONE, List.of(member)));
      }
      return cut;
    }

    List<Map<StoreKey, List<Versioned>>> states() {
      return nodes.stream().map(TestNodes::stateOf).toList();
    }

    void restore(long epoch, int attempt) {
      nodes.forEach(node -> node.pause(epoch));
      for (int id = 0; id < 3; id++) {
        restore(id, epoch, attempt);
      }
    }

    Restoration restore(int id, long epoch, int attempt) {
      try (OpenSnapshot part = snapshots.get(id).openVerified(SNAPSHOT)) {
        return nodes.get(id).restoreFrom(epoch, attempt, part);
      }
    }

    /** Returns whether there was such a commit; {@code isDone}: it is done before the crash. */
    boolean killAtCommit(int id, int commit, boolean isDone) {
      int[] left = {commit};
      ProbedEngine engine = engines.get(id);
      engine.beforeCommit =
          changes -> {
            if (left[0]-- == 0) {
              throw new Killed();
            }
          };
      if (isDone) {
        engine.afterCommit = engine.beforeCommit;
        engine.beforeCommit = changes -> {};
      }
      try {
        restore(id, 1, 1);
        return false;
      } catch (Killed e) {
        return true;
      } finally {
        engine.beforeCommit = changes -> {};
        engine.afterCommit = changes -> {};
      }
    }

    void converge(long epoch, int attempt, long target) {
      Agreement<StoreKey> agreement = new Agreement<>();
      for (int id = 0; id < 3; id++) {
        int node = id;
        restore(id, epoch, attempt)
            .replicas()
            .forEach(
                (slice, here) -> agreement.add(node, slice, here.digest(), here.nodes().size()));
      }
      List<KeyRecord> contributed = new ArrayList<>();
      nodes.forEach(
          node -> contributed.addAll(node.readSlices(agreement.unsettled(), target, false)));
      nodes.forEach(node -> node.merge(contributed));
    }

    void requireAlike(String label) {
      Map<StoreKey, List<String>> first = texts(0);
      for (int id = 1; id < 3; id++) {
        assertThat(texts(id)).as("%s node=%d", label, id).isEqualTo(first);
      }
    }

    private Map<StoreKey, List<String>> texts(int id) {
      Map<StoreKey, List<String>> texts = new HashMap<>();
      stateOf(nodes.get(id)).forEach((key, versions) -> texts.put(key, TestNodes.texts(versions)));
      return texts;
    }

    /** Nothing is there but what some node had at the cut. */
    void requireOnlyOf(List<Map<StoreKey, List<Versioned>>> then, String label) {
      Map<StoreKey, Set<String>> had = new HashMap<>();
      for (Map<StoreKey, List<Versioned>> ofNode : then) {
        ofNode.forEach(
            (key, versions) ->
                had.computeIfAbsent(key, first -> new HashSet<>())
                    .addAll(TestNodes.texts(versions)));
      }
      texts(0)
          .forEach(
              (key, found) -> assertThat(had.get(key)).as("%s %s", label, key).containsAll(found));
    }

    @Override
    public void close() {
      nodes.forEach(StoreNode::close);
    }

    /** Not an error of the store's. */
    private static final class Killed extends RuntimeException {
      private static final long serialVersionUID = 1L;

      Killed() {
        super(null, null, false, false);
      }
    }
  }
}
