package io.palinode.voldemort.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.hvc.Hlc;
import io.palinode.voldemort.Caller;
import io.palinode.voldemort.RefusedException;
import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.TestNodes;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.client.session.InsufficientNodesException;
import io.palinode.voldemort.client.session.RolledBackException;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The client of this project against three nodes, as an application uses them. */
class ClientAgainstNodesTest {
  private static final int NODES = 3;
  private static final String PREFERS_ALL = "prefersall";

  @TempDir Path data;
  private final List<StoreService> services = new ArrayList<>();
  private StoreClient client;
  private Store store;

  @BeforeEach
  void start() throws IOException {
    Cluster cluster = TestNodes.listening(NODES);
    for (int i = 0; i < NODES; i++) {
      StoreNodeConfig config = StoreNodeConfig.of(i, cluster, stores());
      StoreService service =
          StoreService.open(StoreServiceConfig.of(config, data), new SystemMicros());
      services.add(service);
      service.start();
    }
    String bootstrap = "127.0.0.1:" + services.get(1).port();
    client = StoreClient.connect(ClientConfig.of(List.of(bootstrap), "alice"));
    store = client.store(TestNodes.EVERYWHERE);
  }

  private static List<StoreDefinition> stores() {
    List<StoreDefinition> stores = new ArrayList<>(TestNodes.stores(NODES, Persistence.BDB));
    stores.add(new StoreDefinition(PREFERS_ALL, Persistence.BDB, NODES, 1, 1, NODES, 1, List.of()));
    return stores;
  }

  @AfterEach
  void stop() {
    client.close();
    services.forEach(StoreService::close);
  }

  @Test
  void whatIsPutIsReadAndReachesEveryReplica() {
    for (int i = 0; i < 50; i++) {
      store.put("k" + i, "old");
      store.put("k" + i, "v" + i);
      assertThat(store.get("k" + i)).isEqualTo("v" + i);
    }
    for (StoreService service : services) {
      await()
          .atMost(Duration.ofSeconds(10))
          .until(() -> TestNodes.stateOf(service.node()).size() == 50);
    }
    assertThat(store.delete("k7")).isTrue();
    assertThat(store.get("k7")).isNull();
  }

  @Test
  void aClientIsNotifiedOnceOfARollbackAndContinuesFromTheCut() {
    Store.Written stays = store.put("k", "stays");
    awaitEverywhere("k", "stays");
    long target = services.get(0).node().clock().tick().own();
    store.put("k", "goes");
    awaitEverywhere("k", "goes");
    services.forEach(service -> service.node().pause(1));
    for (StoreService service : services) {
      assertThat(service.node().restore(1, 1, target).undoneWrites()).isEqualTo(1);
    }
    services.forEach(service -> service.node().resume(1, target, 0));
    RolledBackException notice =
        catchThrowableOfType(RolledBackException.class, () -> store.put("k", "late"));
    assertThat(notice.rolledBack().toEpoch()).isEqualTo(1);
    assertThat(notice.rolledBack().target()).isEqualTo(target).isGreaterThan(stays.acceptedAt());
    assertThat(store.get("k")).isEqualTo("stays");
    store.put("k", "after");
    assertThat(store.get("k")).isEqualTo("after");
  }

  @Test
  void theValueAtATimeIsReadAlsoWhatWasDeletedOrTakenBackSince() {
    long before = services.get(0).node().clock().tick().own();
    long first = store.put("k", "first").acceptedAt();
    awaitEverywhere("k", "first");
    long second = store.put("k", "second").acceptedAt();
    awaitEverywhere("k", "second");
    assertThat(store.delete("k")).isTrue();
    assertThat(store.past().getAt("k", before)).isNull();
    assertThat(store.past().getAt("k", first)).isEqualTo("first");
    assertThat(store.past().getAt("k", second)).isEqualTo("second");
    assertThat(store.past().getAt("k", services.get(0).node().clock().tick().own())).isNull();
  }

  @Test
  void aTimeOutOfReachIsRefusedWithTheRange() {
    store.put("k", "v");
    assertThatThrownBy(() -> store.past().getAt("k", 1))
        .isInstanceOf(InsufficientNodesException.class)
        .hasMessageContaining("the window-log reaches from");
    long future = services.get(0).node().clock().tick().own() + Hlc.ofMicros(60_000_000);
    assertThatThrownBy(() -> store.past().getAt("k", future))
        .isInstanceOf(InsufficientNodesException.class)
        .hasMessageContaining("out of reach");
  }

  @Test
  void theSafePointReachesTheClient() {
    long acceptedAt = store.put("k", "v").acceptedAt();
    assertThat(acceptedAt).isPositive();
    services.forEach(service -> service.node().safePoint(acceptedAt));
    client.awaitSafe(acceptedAt, Duration.ofSeconds(10));
  }

  /** The detectors receive it as a copy of an unknown writer. */
  @Test
  void aReplicaThatLacksAVersionIsRepairedByAReader() throws RefusedException {
    StoreKey key = new StoreKey(PREFERS_ALL, "k".getBytes(UTF_8));
    List<WriteEvent> passedOn = new CopyOnWriteArrayList<>();
    services.get(2).node().listen(passedOn::add);
    Versioned version = TestNodes.version("v", 0, 3);
    var unused =
        services.get(1).node().writes().put(key, version, new Caller(null, 0L, "writer", null));

    assertThat(client.store(PREFERS_ALL).get("k")).isEqualTo("v");

    await().until(() -> client.metrics().repairsInFlight() == 0);
    for (StoreService service : services) {
      assertThat(service.node().siblings(key))
          .singleElement()
          .satisfies(
              stored -> {
                assertThat(new String(stored.value(), UTF_8)).isEqualTo("v");
                assertThat(stored.origin()).isEqualTo(1);
              });
    }
    assertThat(client.metrics().repairsStarted()).isEqualTo(2);
    assertThat(passedOn)
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.origin()).isEqualTo(1);
              assertThat(event.writer()).isEmpty();
            });
    assertThat(client.store(PREFERS_ALL).get("k")).isEqualTo("v");
    assertThat(client.metrics().repairsStarted()).as("no more").isEqualTo(2);
  }

  /** As with Voldemort's own client: there is no trace of a delete. */
  @Test
  void aValueWhoseDeleteMissedAReplicaComesBack() throws RefusedException {
    StoreKey key = new StoreKey(PREFERS_ALL, "k".getBytes(UTF_8));
    Store all = client.store(PREFERS_ALL);
    all.put("k", "v");
    await().until(() -> client.metrics().copiesInFlight() == 0);
    VectorClock clock = all.versions("k").get(0).clock();
    for (int node = 0; node < 2; node++) {
      var unused =
          services
              .get(node)
              .node()
              .writes()
              .delete(key, clock, new Caller(null, 0L, "deleter", null));
    }
    assertThat(all.get("k")).isEqualTo("v");
    await().until(() -> client.metrics().repairsInFlight() == 0);
    services.forEach(service -> assertThat(service.node().siblings(key)).hasSize(1));
  }

  private void awaitEverywhere(String key, String value) {
    for (StoreService service : services) {
      await()
          .atMost(Duration.ofSeconds(10))
          .until(
              () ->
                  service.node().siblings(TestNodes.key(key)).stream()
                      .anyMatch(version -> new String(version.value(), UTF_8).equals(value)));
    }
  }
}
