package io.palinode.voldemort.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.hvc.Hvc;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.store.node.NodeSettings.Past;
import io.palinode.voldemort.Caller;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.TestNodes;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.client.session.InsufficientNodesException;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Node;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that keeps no past serves like any other, and never returns the present as the past. */
class NoPastTest {
  @TempDir Path data;
  private StoreService service;
  private StoreNode node;
  private StoreClient client;
  private Store store;

  @BeforeEach
  void start() throws IOException {
    int port = TestNodes.freePorts(1).get(0);
    Node address = new Node(0, "127.0.0.1", port, port, port, 0, List.of(0));
    StoreNodeConfig config =
        StoreNodeConfig.of(
                0,
                new Cluster("test", List.of(), List.of(address)),
                TestNodes.stores(1, Persistence.BDB))
            .with(settings -> settings.withPast(Past.NONE));
    service = StoreService.open(StoreServiceConfig.of(config, data), new SystemMicros());
    service.start();
    node = service.node();
    client = StoreClient.connect(ClientConfig.of(List.of("127.0.0.1:" + port), "alice"));
    store = client.store(TestNodes.EVERYWHERE);
  }

  @AfterEach
  void stop() {
    client.close();
    service.close();
  }

  @Test
  void itServesAndNoClockRidesAlong() throws Exception {
    Hvc before = node.clock().last();
    assertThat(store.put("k", "old").acceptedAt()).isZero();
    store.put("k", "new");
    assertThat(store.get("k")).isEqualTo("new");
    assertThat(store.delete("k")).isTrue();
    assertThat(store.delete("k")).isFalse();
    assertThat(store.get("k")).isNull();
    assertThat(node.clock().last()).isEqualTo(before);
    assertThat(node.reads().get(TestNodes.key("k"), Caller.STOCK).hvc().owner())
        .isEqualTo(Hvc.NO_OWNER);
    assertThat(node.past().bytes()).isZero();
  }

  @Test
  void whatItDoesNotKnowOfThePastItRefuses() {
    long before = node.clock().tick().own();
    store.put("k", "v");
    assertThatThrownBy(() -> store.past().getAt("k", before))
        .isInstanceOf(InsufficientNodesException.class)
        .hasMessageContaining("out of reach");
    assertThatThrownBy(() -> node.listen(event -> {})).isInstanceOf(IllegalStateException.class);
    node.pause(1);
    assertThatThrownBy(() -> node.restore(1, 1, before)).isInstanceOf(OutOfReachException.class);
  }
}
