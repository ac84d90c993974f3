package io.palinode.voldemort.client;

import static io.palinode.voldemort.client.TestCluster.R1W1;
import static io.palinode.voldemort.client.TestCluster.R1W3;
import static io.palinode.voldemort.client.TestCluster.R2W2;
import static io.palinode.voldemort.client.TestCluster.R3W1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.palinode.voldemort.client.Store.Written;
import io.palinode.voldemort.client.link.LinkModel.Direction;
import io.palinode.voldemort.client.session.InsufficientNodesException;
import io.palinode.voldemort.client.session.ObsoleteVersionException;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.Pb0.RequestType;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * N, R and W: which nodes a call needs, what they end up with, and how many copies are under way.
 */
class ReplicationTest {
  private final TestCluster cluster = new TestCluster();
  private final Background background = new Background();
  private final HeldLinks links = new HeldLinks();

  @AfterEach
  void close() {
    background.close();
    cluster.close();
  }

  private static Versioned version(String value, Map<Integer, Long> clock, long timestampMs) {
    return Versioned.ofText(value, VectorClock.of(new TreeMap<>(clock), timestampMs));
  }

  @Test
  void valuesAreReadAsTheyWereWritten() {
    Store store = cluster.client().store(R2W2);
    assertThat(store.get("k")).isNull();
    store.put("k", "grün");
    assertThat(store.get("k")).isEqualTo("grün");
    store.put("k", "");
    assertThat(store.get("k")).isEmpty();
    assertThat(store.delete("k")).isTrue();
    assertThat(store.get("k")).isNull();
    assertThat(store.delete("k")).isFalse();
    assertThat(store.put("k", "again").acceptedAt()).isPositive();
    assertThat(store.get("k")).isEqualTo("again");
  }

  @Test
  void manyKeysAreReadAtOnce() {
    StoreClient client = cluster.client();
    Store store = client.store(R2W2);
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      keys.add("k" + i);
    }
    store.put("k3", "three");
    store.put("k1999", "last");
    assertThat(store.getAll(keys)).isEqualTo(Map.of("k3", "three", "k1999", "last"));
    assertThat(store.getAll(List.of())).isEmpty();
  }

  @Test
  void firstReplicaAcceptsAndTheOthersGetItsVersionWithTheOrigin() {
    Store store = cluster.client().store(R1W1);
    String key = cluster.keyOf(1, 0);
    Written written = store.put(key, "v");

    assertThat(written.node()).isEqualTo(1);
    await().untilAsserted(() -> cluster.all(n -> assertThat(n.stored(R1W1, key)).hasSize(1)));
    cluster.all(
        node -> assertThat(node.stored(R1W1, key)).containsExactly(version("v", Map.of(1, 1L), 0)));
    assertThat(origins(1)).containsExactly(-1);
    assertThat(origins(0)).containsExactly(1);
    assertThat(origins(2)).containsExactly(1);
    assertThat(store.versionsAt(2, key)).containsExactly(version("v", Map.of(1, 1L), 0));
  }

  private List<Integer> origins(int node) {
    return cluster.node(node).received(RequestType.PUT).stream()
        .map(Pb0.VoldemortRequest::getPalinode)
        .map(context -> context.hasOrigin() ? context.getOrigin() : -1)
        .toList();
  }

  @Test
  void requestsNameTheClientAndWhatItKnows() {
    StoreClient client = cluster.client();
    client.store(R1W3).put("k", "v");
    client.store(R1W3).put("k", "w");
    cluster.all(
        node -> {
          List<Pb0.VoldemortRequest> puts = node.received(RequestType.PUT);
          assertThat(puts).hasSize(2);
          assertThat(puts.get(1).getPalinode().getClient()).isEqualTo("c1");
          assertThat(puts.get(1).getPalinode().hasEpoch()).isTrue();
          assertThat(puts.get(1).getPalinode().hasHvc()).isTrue();
        });
  }

  @Test
  void whatAClientHasReadHappensBeforeWhatItWritesAtAnyNode() {
    StoreClient client = cluster.client();
    Written first = client.store(R1W1).put(cluster.keyOf(0, 0), "v");
    Written second = client.store(R1W1).put(cluster.keyOf(1, 0), "v");
    Written third = client.store(R1W1).put(cluster.keyOf(2, 0), "v");
    assertThat(second.acceptedAt()).isGreaterThan(first.acceptedAt());
    assertThat(third.acceptedAt()).isGreaterThan(second.acceptedAt());
  }

  @Test
  void putWithOneWriteReturnsWhileCopiesAreInFlight() {
    StoreClient client = cluster.client(cluster.config().withLinks(links));
    String key = cluster.keyOf(0, 0);
    links.hold(1, Direction.REQUEST);
    links.hold(2, Direction.REQUEST);

    client.store(R1W1).put(key, "v");

    assertThat(client.metrics().copiesInFlight()).isEqualTo(2);
    assertThat(cluster.node(1).stored(R1W1, key)).isEmpty();
    links.release(1, Direction.REQUEST);
    await().until(() -> client.metrics().copiesInFlight() == 1);
    assertThat(cluster.node(1).stored(R1W1, key)).hasSize(1);
    links.release(2, Direction.REQUEST);
    await().until(() -> client.metrics().copiesInFlight() == 0);
    assertThat(cluster.node(2).stored(R1W1, key)).hasSize(1);
  }

  @Test
  void putWithTwoWritesWaitsForOneCopyAndWithThreeForBoth() {
    StoreClient client = cluster.client(cluster.config().withLinks(links));
    String key = cluster.keyOf(0, 0);
    links.hold(1, Direction.RESPONSE);
    links.hold(2, Direction.RESPONSE);
    Future<Written> two = background.start(() -> client.store(R2W2).put(key, "v"));
    Future<Written> three = background.start(() -> client.store(R1W3).put(key, "v"));
    // R = 2 reads from node 1 before it writes: let that through.
    await().until(() -> links.heldCount(1, Direction.RESPONSE) >= 2);
    assertThat(two).isNotDone();
    links.release(1, Direction.RESPONSE);
    Background.end(two);
    await().until(() -> links.heldCount(2, Direction.RESPONSE) == 2);
    assertThat(three).isNotDone();
    links.release(2, Direction.RESPONSE);
    Background.end(three);
  }

  @Test
  void nodeThatIsDownIsPassedOver() {
    StoreClient client = cluster.client();
    String key = cluster.keyOf(0, 0);
    cluster.node(0).stop();

    Written written = client.store(R2W2).put(key, "v");

    assertThat(written.node()).isEqualTo(1);
    assertThat(client.store(R2W2).get(key)).isEqualTo("v");
    assertThat(cluster.node(1).stored(R2W2, key)).containsExactly(version("v", Map.of(1, 1L), 0));
    await().until(() -> client.metrics().copiesFailed() == 1);
    assertThat(client.metrics().copiesInFlight()).isZero();
  }

  @Test
  void tooFewNodesAreNamedWithTheirFailures() {
    StoreClient client = cluster.client();
    String key = cluster.keyOf(0, 0);
    cluster.node(0).stop();

    assertThatThrownBy(() -> client.store(R1W3).put(key, "v"))
        .isInstanceOfSatisfying(
            InsufficientNodesException.class,
            e -> {
              assertThat(e.needed()).isEqualTo(3);
              assertThat(e.available()).isEqualTo(2);
              assertThat(e.failures()).containsOnlyKeys(0);
            })
        .hasMessageContaining("PUT on r1w3 needs 3 nodes: available=2 failures={0=");
    assertThatThrownBy(() -> client.store(R3W1).get(key))
        .isInstanceOf(InsufficientNodesException.class)
        .hasMessageContaining("GET on r3w1 needs 3 nodes: available=2");
    cluster.node(1).stop();
    cluster.node(2).stop();
    assertThatThrownBy(() -> client.store(R1W1).get(key))
        .isInstanceOfSatisfying(
            InsufficientNodesException.class,
            e -> assertThat(e.failures()).containsOnlyKeys(0, 1, 2));
  }

  @Test
  void nodeThatComesBackIsUsedAgain() {
    StoreClient client = cluster.client();
    String key = cluster.keyOf(0, 0);
    client.store(R1W1).put(key, "v");
    cluster.node(0).stop();
    assertThat(client.store(R1W1).put(key, "w").node()).isEqualTo(1);
    cluster.node(0).start();
    await().until(() -> client.store(R1W1).put(key, "x").node() == 0);
    assertThat(client.metrics().reconnects()).isEqualTo(1);
  }

  @Test
  void unknownStoreIsRefusedByEveryNodeAndByTheClient() {
    assertThatThrownBy(() -> cluster.client().store("nope"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nope")
        .hasMessageContaining(R1W1);
  }

  @Test
  void concurrentVersionsAreResolvedAndThenSuperseded() {
    String key = cluster.keyOf(0, 0);
    cluster.node(0).seed(R3W1, key, List.of(version("old", Map.of(0, 1L), 9)));
    cluster
        .node(1)
        .seed(
            R3W1,
            key,
            List.of(version("later", Map.of(0, 1L, 1, 1L), 7), version("x", Map.of(3, 1L), 5)));
    cluster.node(2).seed(R3W1, key, List.of(version("newest", Map.of(0, 1L, 2, 1L), 8)));
    Store store = cluster.client().store(R3W1);

    assertThat(store.get(key)).isEqualTo("newest");
    assertThat(store.versions(key))
        .extracting(Versioned::text)
        .containsExactly("newest", "later", "x");

    store.put(key, "one");
    assertThat(store.versionsAt(0, key)).hasSize(1);
    await().until(() -> store.versions(key).size() == 1);
    assertThat(store.versionsAt(1, key).get(0).clock().entries())
        .isEqualTo(new TreeMap<>(Map.of(0, 2L, 1, 1L, 2, 1L, 3, 1L)));
  }

  @Test
  void versionThatIsOlderIsRefusedToItsCaller() {
    Store store = cluster.client().store(R1W1);
    String key = cluster.keyOf(0, 0);
    store.put(key, "a");
    Versioned read = store.versions(key).get(0);
    store.put(
        key, new Versioned("b".getBytes(java.nio.charset.StandardCharsets.UTF_8), read.clock()));
    assertThatThrownBy(() -> store.put(key, read))
        .isInstanceOfSatisfying(ObsoleteVersionException.class, e -> assertThat(e.node()).isZero());
    assertThat(store.get(key)).isEqualTo("b");
  }

  @Test
  void writersOfOneKeyAllGetThrough() {
    String key = cluster.keyOf(0, 0);
    List<Future<Long>> writers = new ArrayList<>();
    int each = 50;
    for (int w = 0; w < 4; w++) {
      StoreClient client = cluster.client();
      writers.add(
          background.start(
              () -> {
                for (int i = 0; i < each; i++) {
                  client.store(R1W1).put(key, "v");
                }
                return client.metrics().obsoleteRetries();
              }));
    }
    long retries = 0;
    for (Future<Long> writer : writers) {
      retries += Background.end(writer);
    }
    assertThat(retries).isPositive();
    assertThat(cluster.node(0).stored(R1W1, key).get(0).clock().counter(0)).isEqualTo(4L * each);
  }

  @Test
  void copyThatCameTooLateCountsAsWritten() {
    StoreClient client = cluster.client();
    String key = cluster.keyOf(0, 0);
    cluster.node(1).seed(R1W3, key, List.of(version("newer", Map.of(0, 9L), 0)));
    cluster.node(2).seed(R1W3, key, List.of(version("newer", Map.of(0, 9L), 0)));
    assertThat(client.store(R1W3).put(key, "v").node()).isZero();
    assertThat(client.metrics().copiesFailed()).isZero();
  }

  @Test
  void messagesToANodeKeepTheirOrder() {
    StoreClient client = cluster.client(cluster.config().withLinks(links));
    links.hold(1, Direction.REQUEST);
    List<String> written = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      String key = cluster.keyOf(0, i % 20);
      client.store(R1W1).put(key, "v" + i);
      written.add("v" + i);
    }
    links.release(1, Direction.REQUEST);
    await().until(() -> cluster.node(1).received(RequestType.PUT).size() == 200);
    for (int node = 0; node < 3; node++) {
      int at = node;
      await().until(() -> cluster.node(at).received(RequestType.PUT).size() == 200);
      assertThat(cluster.node(node).received(RequestType.PUT))
          .extracting(r -> r.getPut().getVersioned().getValue().toStringUtf8())
          .isEqualTo(written);
    }
  }

  @Test
  void writerWaitsWhileANodeHasTooManyCopiesInFlight() {
    StoreClient client = cluster.client(cluster.config().withLinks(links));
    links.hold(2, Direction.REQUEST);
    String key = cluster.keyOf(0, 0);
    int puts = Copies.PER_NODE_MAX + 10;
    Future<Long> writer =
        background.start(
            () -> {
              for (int i = 0; i < puts; i++) {
                client.store(R1W1).put(key, "v" + i);
              }
              return client.operations();
            });
    await().until(() -> client.metrics().copyWaits() == 1);
    assertThat(links.heldCount(2, Direction.REQUEST)).isGreaterThanOrEqualTo(Copies.PER_NODE_MAX);
    assertThat(client.operations()).isLessThan(puts);

    links.release(2, Direction.REQUEST);
    assertThat(Background.end(writer)).isEqualTo(puts);
    await().until(() -> client.metrics().copiesInFlight() == 0);
    assertThat(client.metrics().copiesFailed()).isZero();
  }

  @Test
  void deleteGoesToAllReplicas() {
    StoreClient client = cluster.client();
    String key = cluster.keyOf(0, 0);
    client.store(R1W3).put(key, "v");
    assertThat(client.store(R1W3).delete(key)).isTrue();
    cluster.all(node -> assertThat(node.stored(R1W3, key)).isEmpty());
    assertThat(cluster.node(1).received(RequestType.DELETE).get(0).getPalinode().getOrigin())
        .isZero();
    assertThat(client.operations()).isEqualTo(2);
  }
}
