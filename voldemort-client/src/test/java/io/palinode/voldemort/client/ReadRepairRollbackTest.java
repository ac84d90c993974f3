package io.palinode.voldemort.client;

import static io.palinode.voldemort.client.TestCluster.PREFERS_3_READS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.palinode.voldemort.client.Store.Written;
import io.palinode.voldemort.client.session.RolledBackException;
import io.palinode.voldemort.protocol.Versioned;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * Readers repair diverged replicas during repeated rollbacks; no undone write comes back. Nodes
 * even let the readers continue although they have read undone writes.
 */
class ReadRepairRollbackTest {
  private static final int WRITERS = 2;
  private static final int READERS = 2;
  private static final int ROLLBACKS = 20;
  private static final int KEYS = 4;
  private static final int LINK_NANOS_MAX = 2_000_000;

  /** Writes that a node accepted after the target and before it was paused are undone. */
  private record Undone(long target, List<Long> pausedAt) {
    boolean covers(Written written) {
      return written.acceptedAt() > target && written.acceptedAt() <= pausedAt.get(written.node());
    }
  }

  private final Map<String, Written> acknowledged = new ConcurrentHashMap<>();
  private final List<Undone> undone = new ArrayList<>();
  private final AtomicLong rolledBack = new AtomicLong();

  @Test
  void noUndoneWriteIsRepaired() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    AtomicBoolean stop = new AtomicBoolean();
    try (SlowLinks links = new SlowLinks(LINK_NANOS_MAX, new Random(random.nextLong()));
        TestCluster cluster = new TestCluster();
        Background background = new Background()) {
      cluster.all(node -> node.letAllStandFor(client -> client.startsWith("r")));
      List<StoreClient> clients = new ArrayList<>();
      List<Future<Boolean>> programs = new ArrayList<>();
      for (int i = 0; i < WRITERS + READERS; i++) {
        boolean writes = i < WRITERS;
        String name = (writes ? "w" : "r") + i;
        StoreClient client = cluster.client(cluster.config().withClientId(name).withLinks(links));
        Random own = new Random(random.nextLong());
        clients.add(client);
        Store store = client.store(PREFERS_3_READS);
        programs.add(
            background.start(
                () -> writes ? write(store, name, own, stop) : read(store, own, stop)));
      }
      for (int epoch = 1; epoch <= ROLLBACKS; epoch++) {
        LockSupport.parkNanos(1_000_000L * (10 + random.nextInt(20)));
        rollBack(cluster, epoch, random);
      }
      stop.set(true);
      programs.forEach(Background::end);
      await()
          .until(
              () ->
                  clients.stream()
                      .map(StoreClient::metrics)
                      .allMatch(m -> m.copiesInFlight() + m.repairsInFlight() == 0));
      assertThat(clients.stream().mapToLong(client -> client.metrics().repairsStarted()).sum())
          .as("seed %d", seed)
          .isPositive();
      requireNothingUndone(cluster, seed);
    }
  }

  private boolean write(Store store, String name, Random random, AtomicBoolean stop) {
    for (int i = 0; !stop.get(); i++) {
      String value = name + "=" + i;
      try {
        acknowledged.put(value, store.put("k" + random.nextInt(KEYS), value));
      } catch (RolledBackException e) {
        // Its value stays in doubt and is not checked.
        rolledBack.incrementAndGet();
      }
    }
    return true;
  }

  private static boolean read(Store store, Random random, AtomicBoolean stop) {
    while (!stop.get()) {
      store.get("k" + random.nextInt(KEYS));
    }
    return true;
  }

  private void rollBack(TestCluster cluster, int epoch, Random random) {
    // Up to 20 ms ago: an HLC counts 4096 to a microsecond.
    long target = cluster.node(0).now() - ((long) random.nextInt(20_000) << 12);
    List<Long> pausedAt = new ArrayList<>();
    for (int node = 0; node < 3; node++) {
      cluster.node(node).pause(epoch);
      pausedAt.add(cluster.node(node).now());
      LockSupport.parkNanos(random.nextInt(1_000_000));
    }
    cluster.all(node -> node.restore(target));
    for (int node = 0; node < 3; node++) {
      cluster.node(node).resume(0);
      LockSupport.parkNanos(random.nextInt(1_000_000));
    }
    undone.add(new Undone(target, pausedAt));
  }

  private void requireNothingUndone(TestCluster cluster, long seed) {
    Set<String> gone = new HashSet<>();
    acknowledged.forEach(
        (value, written) -> {
          if (undone.stream().anyMatch(rollback -> rollback.covers(written))) {
            gone.add(value);
          }
        });
    assertThat(gone).as("seed %d, writers %s", seed, rolledBack).isNotEmpty();
    for (int node = 0; node < 3; node++) {
      for (int k = 0; k < KEYS; k++) {
        assertThat(cluster.node(node).stored(PREFERS_3_READS, "k" + k))
            .as("seed %d node %d", seed, node)
            .extracting(Versioned::text)
            .doesNotContainAnyElementsOf(gone);
      }
    }
  }
}
