package io.palinode.voldemort.client;

import static io.palinode.voldemort.client.TestCluster.PREFERS_2_READS;
import static io.palinode.voldemort.client.TestCluster.PREFERS_3_READS;
import static io.palinode.voldemort.client.TestCluster.PREFERS_3_WRITES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.palinode.voldemort.client.Store.Written;
import io.palinode.voldemort.client.link.LinkModel.Direction;
import io.palinode.voldemort.client.session.InsufficientNodesException;
import io.palinode.voldemort.protocol.Pb0.RequestType;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The nodes that a call waits for if a store prefers more than it requires. */
class PreferredTest {
  private final TestCluster cluster = new TestCluster();
  private final Background background = new Background();
  private final HeldLinks links = new HeldLinks();
  private final String key = cluster.keyOf(0, 0);

  @AfterEach
  void close() {
    background.close();
    cluster.close();
  }

  /** Without repairs, which would be requests too. */
  private StoreClient client(Duration preferredTimeout) {
    return cluster.client(
        cluster
            .config()
            .withLinks(links)
            .withReadRepair(false)
            .withRequestTimeout(Duration.ofMinutes(1))
            .withPreferredTimeout(preferredTimeout));
  }

  private StoreClient patient() {
    return client(Duration.ofMinutes(1));
  }

  private void seed(int node, String value, long counter) {
    VectorClock clock = VectorClock.of(new TreeMap<>(Map.of(0, counter)), 0);
    for (String store : List.of(PREFERS_2_READS, PREFERS_3_READS)) {
      cluster.node(node).seed(store, key, List.of(Versioned.ofText(value, clock)));
    }
  }

  private int gets(int node) {
    return cluster.node(node).received(RequestType.GET).size();
  }

  @Test
  void aReadAsksAsManyAsArePreferredAndWaitsForAll() {
    StoreClient client = patient();
    seed(0, "old", 1);
    seed(1, "new", 2);
    seed(2, "newest", 3);
    links.hold(1, Direction.RESPONSE);
    Future<@Nullable String> get = background.start(() -> client.store(PREFERS_2_READS).get(key));
    await().until(() -> links.heldCount(1, Direction.RESPONSE) == 1);
    assertThat(get).isNotDone();
    links.release(1, Direction.RESPONSE);
    assertThat(Background.end(get)).isEqualTo("new");
    assertThat(gets(2)).isZero();
    assertThat(client.store(PREFERS_3_READS).get(key)).isEqualTo("newest");
    assertThat(client.store(PREFERS_3_READS).getAll(List.of(key))).isEqualTo(Map.of(key, "newest"));
  }

  @Test
  void aSlowNodeIsWaitedForUpToTheLimitAndNotReplaced() {
    StoreClient client = client(Duration.ofMillis(50));
    seed(0, "old", 1);
    seed(1, "new", 2);
    links.hold(1, Direction.RESPONSE);
    Future<@Nullable String> get = background.start(() -> client.store(PREFERS_2_READS).get(key));
    assertThat(Background.end(get)).isEqualTo("old");
    assertThat(gets(2)).isZero();
  }

  @Test
  void withoutTheRequiredOnesARequestHasItsWholeTime() {
    StoreClient client = client(Duration.ZERO);
    seed(1, "late", 1);
    links.hold(0, Direction.RESPONSE);
    links.hold(1, Direction.RESPONSE);
    Future<@Nullable String> get = background.start(() -> client.store(PREFERS_2_READS).get(key));
    await().until(() -> links.heldCount(1, Direction.RESPONSE) == 1);
    assertThat(get).isNotDone();
    links.release(1, Direction.RESPONSE);
    assertThat(Background.end(get)).isEqualTo("late");
    assertThat(gets(2)).isZero();
  }

  @Test
  void aPreferredOneThatFailsIsDoneWithout() {
    StoreClient client = patient();
    seed(0, "v", 1);
    cluster.node(1).stop();
    assertThat(client.store(PREFERS_2_READS).get(key)).isEqualTo("v");
    assertThat(gets(2)).isZero();
  }

  @Test
  void whereTooFewAnswerTheNextOneIsAsked() {
    StoreClient client = patient();
    seed(2, "v", 1);
    cluster.node(0).stop();
    cluster.node(1).stop();
    assertThat(client.store(PREFERS_2_READS).get(key)).isEqualTo("v");
    cluster.node(2).stop();
    assertThatThrownBy(() -> client.store(PREFERS_2_READS).get(key))
        .isInstanceOf(InsufficientNodesException.class)
        .hasMessageContaining("GET on prefers2reads needs 1 nodes: available=0 failures={0=");
  }

  /** Else the put would be refused by the one that has the newer version. */
  @Test
  void theVersionThatAPutSupersedesIsReadFromThePreferredOnesToo() {
    StoreClient client = patient();
    seed(1, "newer", 5);
    client.store(PREFERS_3_READS).put(key, "v");
    assertThat(cluster.node(0).stored(PREFERS_3_READS, key).get(0).clock().counter(0)).isEqualTo(6);
    assertThat(client.store(PREFERS_3_READS).delete(key)).isTrue();
    cluster.all(node -> assertThat(node.received(RequestType.GET_VERSION)).hasSize(2));
  }

  @Test
  void aWriteReturnsWhenThePreferredOnesHaveIt() {
    StoreClient client = patient();
    links.hold(2, Direction.RESPONSE);
    Future<Written> put = background.start(() -> client.store(PREFERS_3_WRITES).put(key, "v"));
    await().until(() -> links.heldCount(2, Direction.RESPONSE) == 1);
    assertThat(put).isNotDone();
    links.release(2, Direction.RESPONSE);
    Background.end(put);
    cluster.all(node -> assertThat(node.stored(PREFERS_3_WRITES, key)).hasSize(1));
    assertThat(client.store(PREFERS_3_WRITES).delete(key)).isTrue();
    cluster.all(node -> assertThat(node.stored(PREFERS_3_WRITES, key)).isEmpty());
  }

  @Test
  void aWriteIsDoneWithTheRequiredOnesWhenTheOthersFail() {
    StoreClient client = patient();
    cluster.node(1).stop();
    cluster.node(2).stop();
    assertThat(client.store(PREFERS_3_WRITES).put(key, "v").node()).isZero();
    assertThat(client.metrics().copiesFailed()).isEqualTo(2);
  }

  @Test
  void aWriteIsDoneWithTheRequiredOnesWhenTheTimeIsOver() {
    StoreClient client = client(Duration.ofMillis(50));
    links.hold(1, Direction.REQUEST);
    Future<Written> put = background.start(() -> client.store(PREFERS_3_WRITES).put(key, "v"));
    assertThat(Background.end(put).node()).isZero();
    assertThat(client.metrics().copiesInFlight()).isPositive();
    links.release(1, Direction.REQUEST);
    await().until(() -> client.metrics().copiesInFlight() == 0);
    cluster.all(node -> assertThat(node.stored(PREFERS_3_WRITES, key)).hasSize(1));
  }
}
