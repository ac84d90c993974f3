package io.palinode.voldemort.client;

import static io.palinode.voldemort.client.TestCluster.R1W1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.palinode.voldemort.client.session.InsufficientNodesException;
import io.palinode.voldemort.client.session.ObsoleteVersionException;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a client sends of the versions that its program has seen. */
class SeenOfPutsTest {
  private static final VectorClock ONE = VectorClock.EMPTY.incremented(0, 1_000);
  private static final VectorClock BESIDE = VectorClock.EMPTY.incremented(1, 2_000);

  private final TestCluster cluster = new TestCluster();
  private final String key = cluster.keyOf(0, 0);
  private final Store store = cluster.client(cluster.config().withSeenKeys(10)).store(R1W1);

  @AfterEach
  void close() {
    cluster.close();
  }

  @Test
  void withoutTheOptionNothingIsSent() {
    Store silent = cluster.client().store(R1W1);
    silent.get(key);
    silent.put(key, "v");
    assertThat(lastPut().hasSeen()).isFalse();
  }

  @Test
  void whatThePutReadsItselfIsNotSeen() {
    seed(Versioned.ofText("another", ONE));
    store.put(key, "v");
    assertThat(lastPut().hasSeen()).isTrue();
    assertThat(seen()).isEmpty();
  }

  @Test
  void whatWasReadOrWrittenIsSeen() {
    seed(Versioned.ofText("another", ONE));
    store.get(key);
    store.put(key, "v");
    assertThat(seen()).containsExactly(ONE);
    store.put(key, "w");
    assertThat(seen()).containsExactly(ONE.incremented(0, 0));
  }

  @Test
  void getReturnsOneSiblingAndVersionsAll() {
    seed(Versioned.ofText("old", ONE), Versioned.ofText("new", BESIDE));
    assertThat(store.getAll(List.of(key))).containsEntry(key, "new");
    store.put(key, "v");
    assertThat(seen()).containsExactly(BESIDE);

    seed(Versioned.ofText("old", ONE), Versioned.ofText("new", BESIDE));
    Store other = cluster.client(cluster.config().withSeenKeys(10)).store(R1W1);
    other.versions(key);
    other.put(key, "v");
    assertThat(seen()).containsExactlyInAnyOrder(ONE, BESIDE);
  }

  @Test
  void theVersionThatAPutNamesIsSeen() {
    seed(Versioned.ofText("another", ONE));
    store.put(key, Versioned.ofText("v", ONE));
    assertThat(seen()).containsExactly(ONE);
  }

  @Test
  void aWriteOfUnknownOutcomeIsSeenAndARefusedOneIsNot() {
    seed(Versioned.ofText("another", ONE));
    assertThatThrownBy(() -> store.put(key, Versioned.ofText("v", VectorClock.EMPTY)))
        .isInstanceOf(ObsoleteVersionException.class);
    store.put(key, "v");
    assertThat(seen()).isEmpty();

    cluster.all(TestNode::stop);
    assertThatThrownBy(() -> store.put(key, Versioned.ofText("w", ONE.incremented(0, 0))))
        .isInstanceOf(InsufficientNodesException.class);
    cluster.all(TestNode::start);
    await().ignoreExceptions().until(() -> store.get("another key") == null);
    store.put(key, "x");
    assertThat(seen()).contains(ONE.incremented(0, 0).incremented(0, 0));
  }

  private void seed(Versioned... versions) {
    cluster.all(node -> node.seed(R1W1, key, List.of(versions)));
  }

  private Pb0.PutRequest lastPut() {
    List<Pb0.VoldemortRequest> puts = cluster.node(0).received(Pb0.RequestType.PUT);
    return puts.get(puts.size() - 1).getPut();
  }

  private List<VectorClock> seen() {
    return lastPut().getSeen().getClocksList().stream()
        .map(clock -> VectorClock.decode(clock.toByteArray()))
        .toList();
  }
}
