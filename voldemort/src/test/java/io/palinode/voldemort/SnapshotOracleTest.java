package io.palinode.voldemort;

import static io.palinode.voldemort.TestNodes.version;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.binding.StoreKey;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.retroscope.snapshot.Order;
import io.palinode.retroscope.snapshot.Taken;
import io.palinode.retroscope.snapshot.Watch;
import io.palinode.retroscope.snapshot.file.Entry;
import io.palinode.retroscope.snapshot.file.Kind;
import io.palinode.retroscope.snapshot.file.Manifest;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import io.palinode.retroscope.snapshot.file.Ref;
import io.palinode.voldemort.TestNodes.Medium;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Snapshots and reads of the past of several nodes with skewed clocks, against every state that
 * each of them ever was in, and against causality.
 */
class SnapshotOracleTest {
  private static final int NODES = 3;
  private static final long SKEW_MICROS = 200_000;

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({"MEMORY, 12", "BDB, 3"})
  void theSnapshotsOfAllNodesAtOneTimeAreTheirReplayedStatesAndAConsistentCut(
      Medium medium, int seeds) throws RefusedException {
    for (long seed = 0; seed < seeds; seed++) {
      try (Run run = new Run(medium, folder.resolve("seed" + seed), seed)) {
        run.write(80);
        Ref base = run.take("base", run.randomTime(), Kind.INSTANT, Ref.NONE);
        for (int i = 0; i < 6; i++) {
          run.write(15);
          long hlc = run.randomTime();
          run.take("retro" + i, hlc, Kind.RETROSPECTIVE, Ref.NONE);
          run.take("inc" + i, hlc, Kind.INCREMENTAL, base);
          run.assertReads(hlc);
          run.assertCutIsConsistent(hlc);
        }
        Ref rolled = run.take("roll", run.randomTime(), Kind.INSTANT, Ref.NONE);
        for (int i = 0; i < 4; i++) {
          run.write(10);
          rolled = run.take("roll", run.randomTime(), Kind.ROLLING, rolled);
        }
      }
    }
  }

  /** As with a bound on the nodes that take a snapshot at once; no order of them makes a circle. */
  @Timeout(120)
  @ParameterizedTest
  @CsvSource({"MEMORY, 12", "BDB, 3"})
  void twoSnapshotsThatNodesBeginInOppositeOrderAreBothCorrect(Medium medium, int seeds)
      throws RefusedException {
    for (long seed = 0; seed < seeds; seed++) {
      try (Run run = new Run(medium, folder.resolve("seed" + seed), seed)) {
        run.write(80);
        long early = run.randomTime();
        run.write(5);
        CompletableFuture<Void> up =
            run.takeNodeByNode(new Ref("up", 1), early, IntStream.range(0, NODES));
        CompletableFuture<Void> down =
            run.takeNodeByNode(
                new Ref("down", 2),
                run.randomTime(),
                IntStream.range(0, NODES).map(i -> NODES - 1 - i));
        CompletableFuture.allOf(up, down).join();
      }
    }
  }

  /** An accepted write, with what it causally knows of every node's writes. */
  private record Event(int node, long hlc, int[] known) {}

  /** A client that uses several nodes and carries the received clock. */
  private static final class Wanderer {
    private @Nullable Hvc received;
    private final int[] known = new int[NODES];

    Caller caller() {
      return new Caller(received, null, "", null);
    }

    void receives(Hvc reply, int[] ofNode) {
      received = (received == null ? Hvc.unknown(NODES) : received).merge(reply);
      for (int i = 0; i < NODES; i++) {
        known[i] = Math.max(known[i], ofNode[i]);
      }
    }
  }

  private static final class Run implements AutoCloseable {
    private final Random random;
    private final String label;
    private final AtomicLong micros = TestNodes.clock();
    private final List<StoreNode> nodes = new ArrayList<>();
    private final List<LocalSnapshots> snapshots = new ArrayList<>();
    private final List<List<Map<StoreKey, List<Versioned>>>> states = new ArrayList<>();
    private final List<List<Long>> times = new ArrayList<>();
    private final List<Wanderer> clients = List.of(new Wanderer(), new Wanderer(), new Wanderer());

    /** Writes that each node knows of, its own and what clients brought. */
    private final int[][] known = new int[NODES][NODES];

    private final List<Event> events = new ArrayList<>();
    private long numbers;

    Run(Medium medium, Path folder, long seed) {
      random = new Random(seed);
      label = "seed=" + seed;
      for (int i = 0; i < NODES; i++) {
        long skew = random.nextLong(-SKEW_MICROS, SKEW_MICROS);
        StoreNodeConfig config =
            StoreNodeConfig.of(
                i, TestNodes.cluster(NODES), TestNodes.stores(NODES, Persistence.BDB));
        StoreNode node =
            new StoreNode(
                config, medium.open(folder.resolve("engine" + i)), () -> micros.get() + skew);
        nodes.add(node);
        snapshots.add(new LocalSnapshots(i, node.history(), folder.resolve("snapshots" + i)));
        states.add(new ArrayList<>(List.of(Map.of())));
        times.add(new ArrayList<>(List.of(node.reach())));
      }
    }

    void write(int writes) throws RefusedException {
      for (int i = 0; i < writes; i++) {
        micros.addAndGet(random.nextInt(20) == 0 ? 50_000 : random.nextInt(3));
        writeAt(random.nextInt(NODES), clients.get(random.nextInt(clients.size())));
      }
    }

    private void writeAt(int at, Wanderer client) throws RefusedException {
      StoreNode node = nodes.get(at);
      StoreKey key = TestNodes.key("k" + random.nextInt(8));
      Versioned version =
          version("v" + random.nextInt(1_000), random.nextInt(4) + 1L, random.nextInt(4));
      learn(at, client);
      try {
        Reply<Boolean> reply =
            random.nextInt(4) == 0
                ? node.writes().delete(key, version.clock(), client.caller())
                : node.writes().put(key, version, client.caller());
        if (reply.acceptedAt() != 0) {
          accepted(at, reply.acceptedAt(), key);
        }
        client.receives(reply.hvc(), known[at]);
      } catch (RefusedException obsolete) {
        // The refused write changed nothing; the client received no clock.
        assertThat(obsolete).hasMessageContaining("newer");
      }
    }

    private void learn(int at, Wanderer client) {
      for (int i = 0; i < NODES; i++) {
        known[at][i] = Math.max(known[at][i], client.known[i]);
      }
    }

    private void accepted(int at, long hlc, StoreKey key) {
      Map<StoreKey, List<Versioned>> next = new HashMap<>(last(states.get(at)));
      byte[] record = nodes.get(at).history().get(key.store(), key.key());
      if (record == null) {
        next.remove(key);
      } else {
        next.put(key, Siblings.decode(record));
      }
      states.get(at).add(next);
      times.get(at).add(hlc);
      known[at][at]++;
      events.add(new Event(at, hlc, known[at].clone()));
    }

    /** A time at which some node wrote, or right beside it, in reach of all. */
    long randomTime() {
      long reach = nodes.stream().mapToLong(StoreNode::reach).max().orElseThrow();
      List<Long> some = times.get(random.nextInt(NODES));
      return Math.max(reach, some.get(random.nextInt(some.size())) + random.nextInt(3) - 1);
    }

    Ref take(String id, long hlc, Kind kind, Ref base) {
      Ref ref = new Ref(id, ++numbers);
      for (int i = 0; i < NODES; i++) {
        take(i, new Order(ref, hlc, kind, base));
      }
      return ref;
    }

    /** In a separate thread. */
    CompletableFuture<Void> takeNodeByNode(Ref ref, long hlc, IntStream order) {
      return CompletableFuture.runAsync(
          () -> order.forEach(i -> take(i, new Order(ref, hlc, Kind.RETROSPECTIVE, Ref.NONE))),
          task -> new Thread(task, ref.id()).start());
    }

    private void take(int node, Order order) {
      String id = order.id().id();
      LocalSnapshots of = snapshots.get(node);
      Taken taken = of.take(order, Watch.NONE);
      Manifest.Member member =
          new Manifest.Member(node, taken.keys(), taken.bytes(), taken.checksum(), "");
      of.file(new Manifest(order.id(), order.hlc(), order.kind(), order.base(), List.of(member)));
      assertThat(stored(node, id))
          .as("%s snapshot=%s node=%d at=%s", label, id, node, Hlc.format(order.hlc()))
          .isEqualTo(stateAt(node, order.hlc()));
      assertThat(of.verify(id).keys()).isEqualTo(stateAt(node, order.hlc()).size());
    }

    private Map<StoreKey, List<Versioned>> stored(int node, String id) {
      Map<StoreKey, List<Versioned>> found = new HashMap<>();
      try (OpenSnapshot opened = snapshots.get(node).open(id)) {
        for (String store : opened.stores()) {
          for (Entry entry : opened.page(store, null, 1 << 20)) {
            found.put(new StoreKey(store, entry.key()), StoredVersions.in(entry.record()));
          }
        }
      }
      return found;
    }

    private Map<StoreKey, List<Versioned>> stateAt(int node, long hlc) {
      Map<StoreKey, List<Versioned>> state = Map.of();
      for (int i = 0; i < times.get(node).size(); i++) {
        if (times.get(node).get(i) <= hlc) {
          state = states.get(node).get(i);
        }
      }
      return state;
    }

    void assertReads(long hlc) throws RefusedException {
      for (int node = 0; node < NODES; node++) {
        for (int i = 0; i < 8; i++) {
          StoreKey key = TestNodes.key("k" + i);
          assertThat(nodes.get(node).reads().getAsOf(key, hlc, Caller.STOCK).value())
              .as("%s node=%d key=k%d at=%s", label, node, i, Hlc.format(hlc))
              .isEqualTo(stateAt(node, hlc).getOrDefault(key, List.of()));
        }
      }
    }

    /** What is in the cut, all that it knows of is in it. */
    void assertCutIsConsistent(long hlc) {
      int[] included = new int[NODES];
      events.stream().filter(e -> e.hlc() <= hlc).forEach(e -> included[e.node()]++);
      for (Event event : events) {
        if (event.hlc() <= hlc) {
          for (int node = 0; node < NODES; node++) {
            assertThat(event.known()[node])
                .as("%s at=%s %s knows of node %d", label, Hlc.format(hlc), event, node)
                .isLessThanOrEqualTo(included[node]);
          }
        }
      }
    }

    private static <T> T last(List<T> list) {
      return list.get(list.size() - 1);
    }

    @Override
    public void close() {
      nodes.forEach(StoreNode::close);
    }
  }
}
