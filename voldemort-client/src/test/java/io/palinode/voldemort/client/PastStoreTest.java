package io.palinode.voldemort.client;

import static io.palinode.voldemort.client.TestCluster.R1W1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.voldemort.client.session.NodeException;
import io.palinode.voldemort.protocol.Pb0;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Questions about the past, and which nodes receive them. */
class PastStoreTest {
  private final TestCluster cluster = new TestCluster();

  @AfterEach
  void close() {
    cluster.close();
  }

  /** A node that would not know the type of the request. */
  enum Peer {
    STOCK,
    STOCK_WITH_AGENT,
    EARLIER_RELEASE;

    private void become(TestNode node) {
      switch (this) {
        case STOCK -> node.beStock();
        case STOCK_WITH_AGENT -> node.beAgent();
        case EARLIER_RELEASE -> node.beOfAnEarlierRelease();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Peer.class)
  void aNodeThatDoesNotAcceptQuestionsReceivesNoneAndKeepsItsConnection(Peer peer) {
    cluster.all(peer::become);
    StoreClient client = cluster.client();
    Store store = client.store(R1W1);
    store.put("k", "v");
    for (int node = 0; node < 3; node++) {
      int asked = node;
      assertThatThrownBy(() -> store.past().reachAt(asked))
          .isInstanceOf(NodeException.class)
          .hasMessage("node " + node + ": UNSUPPORTED_OPERATION: this node cannot read the past");
      assertThatThrownBy(() -> store.past().verifyAt(asked, "s")).isInstanceOf(NodeException.class);
    }
    assertThat(store.get("k")).isEqualTo("v");
    cluster.all(node -> assertThat(node.received(Pb0.RequestType.PAST)).isEmpty());
    assertThat(client.metrics().reconnects()).isZero();
  }

  @Test
  void aQuestionThatIsTheFirstRequestToANodeWaitsUntilItHasAnnouncedItself() {
    Store store = cluster.client().store(R1W1);
    PastStore.Reach reach = store.past().reachAt(2);
    assertThat(reach.from()).isEqualTo(1);
    assertThat(reach.to()).isEqualTo(2);
    assertThat(store.past().reachAt(2)).isEqualTo(reach);
    assertThat(cluster.node(2).receivedTypes())
        .as("a get of metadata, after which the node is known")
        .containsExactly(Pb0.RequestType.GET, Pb0.RequestType.PAST, Pb0.RequestType.PAST);
    assertThat(cluster.node(2).received(Pb0.RequestType.PAST))
        .allSatisfy(asked -> assertThat(asked.getStore()).isEmpty());
  }
}
