package io.palinode.voldemort.client;

import static io.palinode.voldemort.client.TestCluster.R1W1;
import static io.palinode.voldemort.client.TestCluster.R1W3;
import static io.palinode.voldemort.client.TestCluster.R2W2;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.palinode.voldemort.client.ClientConfig.Routing;
import io.palinode.voldemort.client.Store.Written;
import io.palinode.voldemort.client.link.LinkModel.Direction;
import io.palinode.voldemort.client.session.InsufficientNodesException;
import io.palinode.voldemort.client.session.StoreException;
import io.palinode.voldemort.protocol.Pb0.RequestType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Bootstrap, connections that hang or break, stock nodes, and the end of a client. */
class ConnectionTest {
  private final TestCluster cluster = new TestCluster();
  private final Background background = new Background();
  private final HeldLinks links = new HeldLinks();

  @AfterEach
  void close() {
    background.close();
    cluster.close();
  }

  private ClientConfig impatient() {
    return cluster.config().withRequestTimeout(Duration.ofMillis(200));
  }

  @Test
  void bootstrapTakesTheFirstAddressThatAnswers() {
    cluster.node(0).stop();
    StoreClient client = cluster.client();
    assertThat(client.cluster().nodes()).hasSize(3);
    assertThat(client.stores()).hasSize(7);
    client.store(R2W2).put("k", "v");
  }

  @Test
  void bootstrapNamesEveryAddressThatFailed() {
    cluster.all(TestNode::stop);
    assertThatThrownBy(cluster::client)
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith("no store node answered (" + cluster.address(0) + ": ")
        .hasMessageContaining(cluster.address(2))
        .hasMessageContaining("refused");
  }

  @Test
  void clientThatBootstrapsWhilePausedJoinsTheNewEpoch() {
    cluster.all(TestNode::fenceMetadata);
    cluster.all(node -> node.pause(7));
    Future<StoreClient> connecting = background.start(cluster::client);
    cluster.all(node -> node.restore(0));
    assertThat(connecting).isNotDone();
    cluster.all(node -> node.resume(0));
    StoreClient client = Background.end(connecting);
    assertThat(client.epoch()).isEqualTo(7);
    assertThatCode(() -> client.store(R1W1).put("k", "v")).doesNotThrowAnyException();
  }

  @Test
  void clientThatBootstrapsWhileARollbackBeginsJoinsTheNewEpoch() {
    TestNode first = cluster.node(0);
    first.hold();
    Future<StoreClient> connecting = background.start(cluster::client);
    await().until(() -> first.heldCount() == 1);
    first.releaseHeld();
    await().until(() -> first.heldCount() == 1);
    cluster.all(node -> node.pause(1));
    first.release();

    StoreClient client = Background.end(connecting);
    Future<Written> put = background.start(() -> client.store(R1W1).put("k", "v"));
    cluster.all(node -> node.restore(0));
    cluster.all(node -> node.resume(0));
    assertThat(Background.end(put)).isNotNull();
    assertThat(client.epoch()).isEqualTo(1);
  }

  @Test
  void addressesAreCheckedBeforeTheyAreUsed() {
    for (String bad : List.of("localhost", ":1", "localhost:", "localhost:x", "localhost:70000")) {
      assertThatThrownBy(() -> ClientConfig.of(List.of(bad), "c"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("an address must be host:port: " + bad);
    }
    assertThatThrownBy(() -> ClientConfig.of(List.of(), "c"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void nodeThatDoesNotAnswerIsGivenUpAndItsConnectionClosed() {
    StoreClient client = cluster.client(impatient());
    String key = cluster.keyOf(0, 0);
    client.store(R1W3).put(key, "v");
    cluster.node(0).hold();

    assertThat(client.store(R1W1).get(key)).isNull();
    assertThat(client.store(R1W3).get(key)).isEqualTo("v");

    assertThatThrownBy(() -> client.store(R1W3).put(key, "w"))
        .isInstanceOf(InsufficientNodesException.class)
        .hasMessageContaining("0=no answer within 200 ms");
    cluster.node(0).release();
    await().until(() -> client.store(R1W3).get(key) != null);
    assertThat(client.metrics().reconnects()).isPositive();
  }

  @Test
  void requestThatALinkNeverDeliversTimesOut() {
    StoreClient client = cluster.client(impatient().withLinks(links));
    String key = cluster.keyOf(0, 0);
    links.hold(0, Direction.REQUEST);
    client.store(R1W1).put(key, "v");
    assertThat(client.store(R1W1).put(key, "w").node()).isEqualTo(1);
    await().until(() -> client.metrics().copiesInFlight() == 0);
    links.release(0, Direction.REQUEST);
    // A request that timed out while it was held is not sent.
    assertThat(client.store(R1W1).get(key)).isNull();
    assertThat(cluster.node(0).received(RequestType.PUT)).isEmpty();
  }

  @Test
  void badAnswerFailsTheRequestAndItsConnection() {
    StoreClient client = cluster.client();
    String key = cluster.keyOf(0, 0);
    client.store(R1W3).put(key, "v");
    cluster.node(0).answerGarbage(true);
    assertThat(client.store(R1W3).get(key)).isEqualTo("v");
    assertThatThrownBy(() -> client.store(R1W3).put(key, "w"))
        .isInstanceOf(InsufficientNodesException.class)
        .hasMessageContaining("a bad answer");
    cluster.node(0).answerGarbage(false);
    await().until(() -> client.store(R1W1).put(key, "x").node() == 0);
  }

  @Test
  void requestsOfSeveralThreadsShareOneConnection() {
    StoreClient client = cluster.client(cluster.config());
    String key = cluster.keyOf(0, 0);
    client.store(R1W1).put(key, "v");
    cluster.node(0).hold();
    List<Future<@Nullable String>> gets =
        List.of(
            background.start(() -> client.store(R1W1).get(key)),
            background.start(() -> client.store(R1W1).get(key)),
            background.start(() -> client.store(R1W1).get(key)));
    await().until(() -> cluster.node(0).heldCount() == 3);
    cluster.node(0).release();
    gets.forEach(get -> assertThat(Background.end(get)).isEqualTo("v"));
    // One for the bootstrap, one to work with.
    assertThat(cluster.node(0).connectionsAccepted()).isEqualTo(2);
  }

  @Test
  void stockNodeGetsOneRequestAtATime() {
    cluster.all(TestNode::beStock);
    StoreClient client = cluster.client();
    String key = cluster.keyOf(0, 0);
    assertThat(client.store(R1W3).put(key, "v").acceptedAt()).isZero();
    assertThat(client.epoch()).isEqualTo(-1);
    cluster.node(0).hold();
    Future<@Nullable String> one = background.start(() -> client.store(R1W1).get(key));
    Future<@Nullable String> two = background.start(() -> client.store(R1W3).get(key));
    await().until(() -> cluster.node(0).heldCount() == 1);
    cluster.node(0).release();
    assertThat(Background.end(one)).isNull();
    assertThat(Background.end(two)).isEqualTo("v");
    assertThat(client.metrics().reconnects()).isZero();
  }

  @Test
  void aStockNodeWithTheAgentGetsOneRequestAtATimeToo() {
    cluster.all(TestNode::beAgent);
    StoreClient client = cluster.client();
    String key = cluster.keyOf(0, 0);
    assertThat(client.store(R1W3).put(key, "v").acceptedAt()).isPositive();
    cluster.node(0).hold();
    Future<@Nullable String> one = background.start(() -> client.store(R1W1).get(key));
    Future<@Nullable String> two = background.start(() -> client.store(R1W3).get(key));
    await().until(() -> cluster.node(0).heldCount() == 1);
    cluster.node(0).release();
    assertThat(Background.end(one)).isNull();
    assertThat(Background.end(two)).isEqualTo("v");
    assertThat(client.metrics().reconnects()).isZero();
  }

  @Test
  void keysDoNotWaitForEachOtherAtANodeThatTakesOneRequestAtATime() {
    cluster.all(TestNode::beStock);
    StoreClient client = cluster.client(cluster.config().withConnectionsMax(3));
    List<String> keys = IntStream.range(0, 30).mapToObj(i -> cluster.keyOf(0, i)).toList();
    assertThat(client.store(R1W1).get(keys.get(0))).isNull();
    cluster.node(0).hold();
    List<Future<@Nullable String>> gets =
        keys.stream().map(key -> background.start(() -> client.store(R1W1).get(key))).toList();
    await().until(() -> cluster.node(0).heldCount() == 3);
    cluster.node(0).release();
    gets.forEach(get -> assertThat(Background.end(get)).isNull());
    // One for the bootstrap.
    assertThat(cluster.node(0).connectionsAccepted()).isEqualTo(4);
    assertThat(client.metrics().reconnects()).isZero();
  }

  @Test
  void aStockNodeReturnsThePresentInsteadOfThePast() {
    cluster.all(TestNode::beStock);
    Store store = cluster.client().store(R1W3);
    store.put("k", "v");
    assertThatThrownBy(() -> store.past().getAt("k", 1))
        .isInstanceOf(InsufficientNodesException.class)
        .hasMessageContaining("cannot read the past");
  }

  @Test
  void nearestFirstBeginsWithTheNodeOfTheRegionAndStaysThere() {
    StoreClient client = cluster.client(cluster.config().withRouting(Routing.nearestFirst(2)));
    String key = cluster.keyOf(0, 0);
    assertThat(client.store(R1W1).put(key, "v").node()).isEqualTo(2);
    for (int i = 0; i < 10; i++) {
      assertThat(client.store(R1W1).put(key, "v" + i).node()).isEqualTo(2);
      assertThat(client.store(R1W1).get(key)).isEqualTo("v" + i);
    }
    cluster.node(2).stop();
    assertThat(client.store(R1W1).put(key, "w").node()).isNotEqualTo(2);
    assertThat(client.store(R1W1).get(key)).isEqualTo("w");
  }

  @Test
  void closeFailsCallsUnderWayAndLeavesNoThread() {
    ClientConfig config =
        ClientConfig.of(List.of(cluster.address(0)), "leaver")
            .withRequestTimeout(Duration.ofSeconds(20))
            .withLinks(links)
            .withConnectionsMax(1);
    StoreClient client = cluster.client(config);
    String key = cluster.keyOf(0, 0);
    links.hold(0, Direction.REQUEST);
    Future<@Nullable String> get = background.start(() -> client.store(R1W1).get(key));
    await().until(() -> links.heldCount(0, Direction.REQUEST) == 1);

    long began = System.nanoTime();
    client.close();

    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(3));
    assertThatThrownBy(() -> Background.end(get))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("closed");
    assertThatThrownBy(() -> client.store(R1W1).get(key)).isInstanceOf(StoreException.class);
    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(t -> t.getName().contains("leaver") && t.isAlive());
    client.close();
  }

  @Test
  void interruptedCallEndsAndKeepsTheFlag() {
    StoreClient client = cluster.client(cluster.config().withLinks(links));
    links.hold(0, Direction.REQUEST);
    Future<Boolean> flag =
        background.start(
            () -> {
              Thread.currentThread().interrupt();
              try {
                client.store(R1W1).get(cluster.keyOf(0, 0));
                return false;
              } catch (StoreException e) {
                return Thread.interrupted();
              }
            });
    assertThat(Background.end(flag)).isTrue();
  }
}
