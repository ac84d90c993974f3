package io.palinode.voldemort.client;

import static io.palinode.voldemort.client.TestCluster.PREFERS_3_READS;
import static io.palinode.voldemort.client.TestCluster.R1W1;
import static io.palinode.voldemort.client.TestCluster.R2W2;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.palinode.voldemort.client.link.LinkModel.Direction;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.Pb0.RequestType;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The repairs that a read sends to replicas that are behind. */
class ReadRepairTest {
  private static final int CASES = 2_000;
  private static final int KEYS = 200;

  /** A node may lack six versions of each key: all of the two others. */
  private static final int KEYS_WITH_ROOM = Copies.REPAIRS_PER_NODE_MAX / 6;

  private final TestCluster cluster = new TestCluster();
  private final Background background = new Background();
  private final HeldLinks links = new HeldLinks();
  private final String key = cluster.keyOf(0, 0);

  @AfterEach
  void close() {
    background.close();
    cluster.close();
  }

  private StoreClient client() {
    return cluster.client(cluster.config().withLinks(links));
  }

  private static Versioned version(String value, Map<Integer, Long> clock, long timestampMs) {
    return Versioned.ofText(value, VectorClock.of(new TreeMap<>(clock), timestampMs));
  }

  private void seed(int node, Versioned... versions) {
    cluster.node(node).seed(PREFERS_3_READS, key, List.of(versions));
  }

  private List<Versioned> stored(int node) {
    return cluster.node(node).stored(PREFERS_3_READS, key);
  }

  private static void awaitEnd(StoreClient client) {
    await().until(() -> client.metrics().repairsInFlight() == 0);
  }

  @Test
  void aReplicaThatIsBehindGetsTheVersionAsItIs() {
    StoreClient client = client();
    Versioned newer = version("newer", Map.of(0, 1L, 1, 3L), 77).withOrigin(1);
    seed(0, newer);
    seed(1, newer);
    seed(2, version("older", Map.of(0, 1L), 99));

    assertThat(client.store(PREFERS_3_READS).get(key)).isEqualTo("newer");

    awaitEnd(client);
    assertThat(stored(2)).containsExactly(newer);
    assertThat(stored(2).get(0).clock().timestampMs()).isEqualTo(77);
    assertThat(stored(2).get(0).origin()).isEqualTo(1);
    Pb0.RequestContext context = cluster.node(2).received(RequestType.PUT).get(0).getPalinode();
    assertThat(context.getOrigin()).isEqualTo(1);
    assertThat(context.getReadAt()).as("the node that answered first").isIn(0, 1);
    assertThat(client.metrics().repairsStarted()).isEqualTo(1);
    assertThat(client.metrics().repairsFailed()).isZero();
    assertThat(cluster.node(0).received(RequestType.PUT)).isEmpty();
  }

  @Test
  void anUnknownOriginIsNotSent() {
    StoreClient client = client();
    seed(1, version("v", Map.of(0, 1L), 0));
    assertThat(client.store(PREFERS_3_READS).versions(key)).hasSize(1);
    awaitEnd(client);
    for (int node : new int[] {0, 2}) {
      Pb0.RequestContext context =
          cluster.node(node).received(RequestType.PUT).get(0).getPalinode();
      assertThat(context.hasOrigin()).isFalse();
      assertThat(context.getReadAt()).isEqualTo(1);
    }
  }

  @Test
  void concurrentVersionsGoToAllAndWhatTheySupersedeGoes() {
    StoreClient client = client();
    Versioned left = version("left", Map.of(0, 2L), 1);
    Versioned right = version("right", Map.of(1, 1L), 2);
    Versioned third = version("third", Map.of(2, 1L), 3);
    seed(0, left);
    seed(1, right, version("old", Map.of(0, 1L), 4));
    seed(2, third);
    assertThat(client.store(PREFERS_3_READS).get(key)).isEqualTo("third");
    awaitEnd(client);
    for (int node = 0; node < 3; node++) {
      assertThat(stored(node)).containsExactlyInAnyOrder(left, right, third);
    }
  }

  @Test
  void everyKeyOfAGetOfManyIsRepaired() {
    StoreClient client = client();
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      keys.add("k" + i);
      cluster
          .node(i % 3)
          .seed(PREFERS_3_READS, "k" + i, List.of(version("v" + i, Map.of(0, 1L), 0)));
    }
    assertThat(client.store(PREFERS_3_READS).getAll(keys)).hasSize(100);
    awaitEnd(client);
    assertThat(client.metrics().repairsStarted()).isEqualTo(200);
    cluster.all(
        node -> keys.forEach(each -> assertThat(node.stored(PREFERS_3_READS, each)).hasSize(1)));
  }

  @Test
  void aNodeThatIsDownIsNotSentAnythingAndTheOthersAre() {
    StoreClient client = client();
    seed(0, version("v", Map.of(0, 1L), 0));
    cluster.node(1).stop();
    assertThat(client.store(PREFERS_3_READS).get(key)).isEqualTo("v");
    awaitEnd(client);
    assertThat(stored(2)).hasSize(1);
    assertThat(client.metrics().repairsStarted()).isEqualTo(1);
  }

  @Test
  void aRepairThatDoesNotReachItsNodeIsCounted() {
    StoreClient client = client();
    seed(0, version("v", Map.of(0, 1L), 0));
    seed(1, version("v", Map.of(0, 1L), 0));
    Future<@Nullable String> get = readUpTo(client, 2);
    cluster.node(2).stop();
    links.release(0, Direction.RESPONSE);
    assertThat(Background.end(get)).isEqualTo("v");
    links.release(2, Direction.REQUEST);
    await().until(() -> client.metrics().repairsFailed() == 1);
    assertThat(client.metrics().copiesFailed()).isZero();
  }

  /** Begins a read, up to where its repairs can no longer reach {@code node}. */
  private Future<@Nullable String> readUpTo(StoreClient client, int node) {
    links.hold(0, Direction.RESPONSE);
    links.hold(node, Direction.RESPONSE);
    Future<@Nullable String> get = background.start(() -> client.store(PREFERS_3_READS).get(key));
    await()
        .until(
            () ->
                links.heldCount(0, Direction.RESPONSE) == 1
                    && links.heldCount(node, Direction.RESPONSE) == 1);
    links.hold(node, Direction.REQUEST);
    links.release(node, Direction.RESPONSE);
    return get;
  }

  @Test
  void nothingIsRepairedWithTheSwitchOff() {
    StoreClient client = cluster.client(cluster.config().withReadRepair(false));
    seed(0, version("v", Map.of(0, 1L), 0));
    assertThat(client.store(PREFERS_3_READS).get(key)).isEqualTo("v");
    assertThat(client.metrics().repairsStarted()).isZero();
    assertThat(stored(1)).isEmpty();
    assertThat(cluster.node(1).received(RequestType.GET).get(0).getGet().hasOrigins()).isFalse();
  }

  @Test
  void aStoreThatPrefersOneReadAsksOneAndRepairsNothing() {
    StoreClient client = client();
    cluster.node(0).seed(R1W1, key, List.of(version("v", Map.of(0, 1L), 0)));
    assertThat(client.store(R1W1).get(key)).isEqualTo("v");
    assertThat(client.metrics().repairsStarted()).isZero();
    assertThat(cluster.node(1).received(RequestType.GET)).isEmpty();
    assertThat(cluster.node(0).received(RequestType.GET).get(0).getGet().hasOrigins()).isFalse();
  }

  /** By default the preferred number equals the required one. */
  @Test
  void aStoreThatRequiresTwoReadsRepairsAsWell() {
    StoreClient client = client();
    cluster.node(0).seed(R2W2, key, List.of(version("v", Map.of(0, 1L), 0)));
    assertThat(client.store(R2W2).get(key)).isEqualTo("v");
    awaitEnd(client);
    assertThat(cluster.node(1).stored(R2W2, key)).hasSize(1);
    assertThat(cluster.node(2).stored(R2W2, key)).isEmpty();
  }

  /** Neither this read nor a writer waits for them. */
  @Test
  void repairsAreBoundedAndTheRestIsLeft() {
    StoreClient client = client();
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < Copies.REPAIRS_PER_NODE_MAX + 50; i++) {
      String each = cluster.keyOf(0, i);
      keys.add(each);
      for (int node : new int[] {0, 1}) {
        cluster.node(node).seed(PREFERS_3_READS, each, List.of(version("v", Map.of(0, 1L), 0)));
      }
    }
    links.hold(0, Direction.RESPONSE);
    Future<Map<String, String>> getAll =
        background.start(() -> client.store(PREFERS_3_READS).getAll(keys));
    // Node 2's answer is held here by then, and a repair for it is held too.
    await().until(() -> cluster.node(2).received(RequestType.GET).size() == keys.size());
    await().until(() -> links.heldCount(0, Direction.RESPONSE) == keys.size());
    links.hold(2, Direction.REQUEST);
    links.release(0, Direction.RESPONSE);

    assertThat(Background.end(getAll)).hasSize(keys.size());
    await().until(() -> client.metrics().repairsStarted() == keys.size());
    assertThat(client.metrics().repairsDropped()).isEqualTo(50);
    assertThat(client.metrics().repairsInFlight()).isEqualTo(Copies.REPAIRS_PER_NODE_MAX);
    client.store(R1W1).put(key, "v");
    assertThat(client.metrics().copyWaits()).isZero();
    links.release(2, Direction.REQUEST);
    awaitEnd(client);
  }

  @Test
  void aClientThatIsFrozenAcrossARollbackRepairsNothing() {
    StoreClient client = client();
    long target = cluster.node(0).now();
    seed(0, version("gone", Map.of(0, 1L), 0));
    seed(1, version("gone", Map.of(0, 1L), 0));
    Future<@Nullable String> get = readUpTo(client, 2);
    links.release(0, Direction.RESPONSE);
    assertThat(Background.end(get)).isEqualTo("gone");
    await().until(() -> links.heldCount(2, Direction.REQUEST) == 1);

    cluster.rollBack(1, target);
    links.release(2, Direction.REQUEST);

    await().until(() -> client.metrics().repairsDropped() == 1);
    assertThat(stored(2)).isEmpty();
    assertThat(cluster.node(2).received(RequestType.PUT)).as("it was sent").hasSize(1);
  }

  /** The nodes themselves complete or undo writes that were read before a pause. */
  @Test
  void versionsReadInAnEpochAreNotRepairedInTheNextEvenIfTheClientContinues() {
    StoreClient client = client();
    cluster.all(TestNode::letAllStand);
    seed(0, version("deleted since", Map.of(0, 1L), 0));
    seed(1, version("deleted since", Map.of(0, 1L), 0));
    for (int node = 0; node < 3; node++) {
      links.hold(node, Direction.RESPONSE);
    }
    Future<@Nullable String> get = background.start(() -> client.store(PREFERS_3_READS).get(key));
    await().until(() -> cluster.node(2).received(RequestType.GET).size() == 1);
    for (int node = 0; node < 3; node++) {
      int at = node;
      await().until(() -> links.heldCount(at, Direction.RESPONSE) == 1);
    }
    cluster.rollBack(1, cluster.node(0).now());
    // It learns the new epoch from another request's answer, which overtakes those of the read.
    var old = links.take(2, Direction.RESPONSE);
    links.release(2, Direction.RESPONSE);
    assertThat(client.store(R1W1).get(cluster.keyOf(2, 0))).isNull();
    assertThat(client.epoch()).isEqualTo(1);
    old.forEach(Runnable::run);
    links.release(0, Direction.RESPONSE);
    links.release(1, Direction.RESPONSE);

    assertThat(Background.end(get)).isEqualTo("deleted since");
    await().until(() -> client.metrics().repairsDropped() == 1);
    assertThat(stored(2)).isEmpty();
  }

  @Test
  void answersOfTwoEpochsAreNotCompared() {
    StoreClient client = client();
    cluster.all(TestNode::letAllStand);
    cluster.node(0).seed(R2W2, key, List.of(version("v", Map.of(0, 1L), 0)));
    links.hold(1, Direction.REQUEST);
    Future<@Nullable String> get = background.start(() -> client.store(R2W2).get(key));
    await().until(() -> cluster.node(0).received(RequestType.GET).size() == 1);
    cluster.rollBack(1, cluster.node(0).now());
    assertThat(client.store(R1W1).get(cluster.keyOf(2, 0))).isNull();
    assertThat(client.epoch()).isEqualTo(1);
    // Node 2 is asked in its place, and is in the epoch in which the client continues.
    cluster.node(1).stop();
    links.release(1, Direction.REQUEST);

    assertThat(Background.end(get)).isEqualTo("v");
    assertThat(client.metrics().repairsStarted()).isZero();
  }

  /**
   * A copy of a delete is held up behind a node that is paused. Until it is made a read still finds
   * the value there; that must not come back anywhere.
   */
  @Test
  void aDeleteThatIsHeldUpIsNotUndoneByARepairOfItsKey() {
    StoreClient client = client();
    Store store = client.store(PREFERS_3_READS);
    cluster.all(TestNode::letAllStand);
    cluster.rollBack(1, cluster.node(0).now());
    assertThat(store.get("other")).isNull();
    assertThat(client.epoch()).isEqualTo(1);
    VectorClock clock = VectorClock.of(new TreeMap<>(Map.of(0, 1L)), 0);
    for (int round = 0; client.metrics().repairsDropped() == 0 && round < 100; round++) {
      String each = cluster.keyOf(0, round);
      cluster.all(node -> node.seed(PREFERS_3_READS, each, List.of(Versioned.ofText("v", clock))));
      cluster.node(1).pause(1);
      long retries = client.metrics().pauseRetries();
      assertThat(store.delete(each.getBytes(StandardCharsets.UTF_8), clock)).isTrue();
      // By now it waits for long enough to be overtaken by a read.
      await().until(() -> client.metrics().pauseRetries() > retries + 5);
      cluster.node(1).resume(0);
      store.get(each);
      await().until(() -> client.metrics().copiesInFlight() == 0);
      awaitEnd(client);
      cluster.all(
          node ->
              assertThat(node.stored(PREFERS_3_READS, each)).as("node %d", node.id()).isEmpty());
    }
    assertThat(client.metrics().repairsDropped()).isPositive();
  }

  @Test
  void aStockNodeIsRepairedAsWell() {
    cluster.all(TestNode::beStock);
    StoreClient client = client();
    seed(0, version("v", Map.of(0, 1L), 5));
    assertThat(client.store(PREFERS_3_READS).get(key)).isEqualTo("v");
    awaitEnd(client);
    assertThat(stored(1)).containsExactly(version("v", Map.of(0, 1L), 5));
    assertThat(stored(2)).hasSize(1);
  }

  /** After a read, all replicas that answered are equal, for random versions. */
  @Test
  void replicasThatAnsweredAreEqualAfterwards() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    StoreClient client = client();
    Map<String, List<Versioned>> expected = new HashMap<>();
    int down = random.nextInt(4);
    for (int i = 0; i < KEYS; i++) {
      String each = "k" + i;
      List<Versioned> all = List.of();
      for (int node = 0; node < 3; node++) {
        List<Versioned> some = siblings(random);
        cluster.node(node).seed(PREFERS_3_READS, each, some);
        all = node == down ? all : Siblings.merge(all, some);
      }
      expected.put(each, all);
    }
    if (down < 3) {
      cluster.node(down).stop();
    }
    List<String> keys = List.copyOf(expected.keySet());
    for (int from = 0; from < KEYS; from += KEYS_WITH_ROOM) {
      int to = Math.min(KEYS, from + KEYS_WITH_ROOM);
      client.store(PREFERS_3_READS).getAll(keys.subList(from, to));
      awaitEnd(client);
    }
    assertThat(client.metrics().repairsStarted()).as("seed %d", seed).isPositive();
    assertThat(client.metrics().repairsFailed() + client.metrics().repairsDropped()).isZero();
    for (int node = 0; node < 3; node++) {
      for (String each : keys) {
        if (node != down) {
          assertThat(cluster.node(node).stored(PREFERS_3_READS, each))
              .as("seed %d node %d key %s", seed, node, each)
              .containsExactlyInAnyOrderElementsOf(expected.get(each));
        }
      }
    }
  }

  @Test
  void theMissingVersionsAreExactlyThoseThatMakeNodesEqual() {
    long seed = System.nanoTime();
    for (int i = 0; i < CASES; i++) {
      Random random = new Random(seed + i);
      Map<Integer, List<Versioned>> found = new LinkedHashMap<>();
      List<Versioned> joined = List.of();
      for (int node = 0; node < 1 + random.nextInt(4); node++) {
        List<Versioned> some = siblings(random);
        found.put(node, some);
        joined = Siblings.merge(joined, some);
      }
      Map<Integer, List<Versioned>> repaired = new HashMap<>(found);
      for (MissingVersion missing : MissingVersion.in(found)) {
        List<Versioned> after =
            Siblings.put(repaired.getOrDefault(missing.node(), List.of()), missing.version());
        assertThat(after).as("seed %d: not needed: %s", seed + i, missing).isNotNull();
        repaired.put(missing.node(), after);
        assertThat(found.get(missing.readAt())).as("seed %d", seed + i).contains(missing.version());
      }
      for (List<Versioned> after : repaired.values()) {
        assertThat(after).as("seed %d", seed + i).containsExactlyInAnyOrderElementsOf(joined);
      }
    }
  }

  /** Random versions of a key at a node; a clock has one value. */
  private static List<Versioned> siblings(Random random) {
    List<Versioned> siblings = List.of();
    for (int left = random.nextInt(4); left > 0; left--) {
      Map<Integer, Long> clock = new TreeMap<>();
      for (int node = 0; node < 3; node++) {
        long counter = random.nextInt(3);
        if (counter > 0) {
          clock.put(node, counter);
        }
      }
      List<Versioned> after = Siblings.put(siblings, version("of " + clock, clock, 0));
      siblings = after == null ? siblings : after;
    }
    return siblings;
  }
}
