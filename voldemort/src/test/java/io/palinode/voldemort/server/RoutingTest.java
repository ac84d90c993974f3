package io.palinode.voldemort.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.palinode.detector.binding.StoreKey;
import io.palinode.voldemort.Caller;
import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.TestNodes;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Ring;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.Pb0.DeleteResponse;
import io.palinode.voldemort.protocol.Pb0.GetAllResponse;
import io.palinode.voldemort.protocol.Pb0.GetResponse;
import io.palinode.voldemort.protocol.Pb0.GetVersionResponse;
import io.palinode.voldemort.protocol.Pb0.PutResponse;
import io.palinode.voldemort.protocol.Pb0.RequestContext;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import io.palinode.voldemort.vp.VpRequests;
import io.palinode.voldemort.vp.VpVersion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that ask any node for any key. */
class RoutingTest {
  private static final int NODES = 3;
  private static final int ASKED = 0;
  private static final String PREFERS_ALL = "prefersall";

  @TempDir Path data;
  private final List<StoreService> services = new ArrayList<>();
  private Cluster cluster;
  private RawConnection connection;

  @BeforeEach
  void start() throws IOException {
    cluster = TestNodes.listening(NODES);
    for (int i = 0; i < NODES; i++) {
      StoreNodeConfig config = StoreNodeConfig.of(i, cluster, stores());
      services.add(StoreService.open(StoreServiceConfig.of(config, data), new SystemMicros()));
      services.get(i).start();
    }
    connection = RawConnection.pb0(services.get(ASKED).port());
  }

  private static List<StoreDefinition> stores() {
    List<StoreDefinition> stores = new ArrayList<>(TestNodes.stores(NODES, Persistence.BDB));
    stores.add(
        new StoreDefinition(PREFERS_ALL, Persistence.BDB, NODES, 1, 1, NODES, NODES, List.of()));
    return stores;
  }

  @AfterEach
  void stop() throws IOException {
    connection.close();
    services.forEach(StoreService::close);
  }

  @Test
  void anyNodeServesAnyKey() throws IOException {
    String key = keyOfAnotherNode();
    assertThat(get(key, false).getError().getErrorCode())
        .isEqualTo(ErrorCode.INVALID_METADATA.code());

    assertThat(put(key, Versioned.ofText("v1", VectorClock.EMPTY)).hasError()).isFalse();
    GetResponse first = get(key, true);
    assertThat(first.getVersioned(0).getValue().toStringUtf8()).isEqualTo("v1");
    assertThat(first.getVersioned(0).getVersion().getEntries(0).getNodeId()).isNotEqualTo(ASKED);

    VectorClock read = VectorClock.fromProto(first.getVersioned(0).getVersion());
    assertThat(put(key, Versioned.ofText("v2", read)).hasError()).isFalse();
    assertThat(put(key, Versioned.ofText("late", read)).getError().getErrorCode())
        .isEqualTo(ErrorCode.OBSOLETE_VERSION.code());
    assertThat(
            connection
                .call(
                    Requests.shouldRoute(Requests.getAll(TestNodes.ONCE, key, "absent")),
                    GetAllResponse.parser())
                .getValuesList())
        .singleElement()
        .satisfies(
            found -> assertThat(found.getVersions(0).getValue().toStringUtf8()).isEqualTo("v2"));

    VectorClock second =
        VectorClock.fromProto(
            connection
                .call(
                    Requests.shouldRoute(Requests.getVersion(TestNodes.ONCE, key)),
                    GetVersionResponse.parser())
                .getVersions(0));
    assertThat(delete(key, second).getSuccess()).isTrue();
    assertThat(delete(key, second).getSuccess()).isFalse();
    assertThat(get(key, true).getVersionedList()).isEmpty();
  }

  /** What the store prefers holds for them too. */
  @Test
  void aReadThatIsRoutedRepairsReplicas() throws Exception {
    StoreKey key = new StoreKey(PREFERS_ALL, TestNodes.bytes("k"));
    var unused = services.get(2).node().writes().put(key, TestNodes.version("v", 1), Caller.STOCK);
    GetResponse found =
        connection.call(Requests.shouldRoute(Requests.get(PREFERS_ALL, "k")), GetResponse.parser());
    assertThat(found.getVersioned(0).getValue().toStringUtf8()).isEqualTo("v");
    for (StoreService service : services) {
      await().until(() -> service.node().siblings(key).size() == 1);
      assertThat(service.node().siblings(key).get(0).origin()).isNull();
    }
  }

  @Test
  void requestsOfOneConnectionAreAnsweredInTheirOrder() throws IOException {
    String routed = keyOfAnotherNode();
    connection.send(
        Requests.shouldRoute(
            Requests.put(TestNodes.ONCE, routed, Versioned.ofText("v", VectorClock.EMPTY))));
    connection.send(Requests.shouldRoute(Requests.get(TestNodes.ONCE, routed)));
    connection.send(Requests.get(TestNodes.EVERYWHERE, "absent"));
    assertThat(connection.answer(PutResponse.parser()).hasError()).isFalse();
    assertThat(connection.answer(GetResponse.parser()).getVersionedCount()).isEqualTo(1);
    assertThat(connection.answer(GetResponse.parser()).getVersionedCount()).isZero();
  }

  @Test
  void thoseOfANativeProtocolAreToo() throws IOException {
    VpRequests vp1 = VpRequests.of(VpVersion.VP1);
    byte[] key = keyOfAnotherNode().getBytes(StandardCharsets.UTF_8);
    byte[] put =
        vp1.routed(1).put(TestNodes.ONCE, key, VectorClock.EMPTY.encode(), new byte[] {'v'});
    try (RawConnection native1 = new RawConnection(services.get(ASKED).port())) {
      native1.send("vp1".getBytes(StandardCharsets.US_ASCII));
      assertThat(native1.text(2)).isEqualTo("ok");
      native1.send(put);
      native1.send(vp1.getVersion(TestNodes.ONCE, key));
      native1.send(vp1.routed(1).getVersion(TestNodes.ONCE, key));
      native1.send(vp1.get(TestNodes.EVERYWHERE, key));
      assertThat(native1.hex(2)).as("put").isEqualTo("0000");
      assertThat(native1.hex(2)).as("not its own").isEqualTo("0009");
      native1.text(Integer.parseInt(native1.hex(2), 16));
      assertThat(native1.hex(6)).as("one version").isEqualTo("000000000001");
      native1.text(Integer.parseInt(native1.hex(4), 16));
      assertThat(native1.hex(6)).as("absent").isEqualTo("000000000000");
    }
  }

  @Test
  void aRouterReportsMissingReplicasAndServesSystemStoresItself() throws IOException {
    assertThat(
            connection
                .call(Requests.shouldRoute(Requests.get("unknown", "k")), GetResponse.parser())
                .getError()
                .getErrorMessage())
        .contains("Unknown store 'unknown'");
    assertThat(
            connection
                .call(
                    Requests.shouldRoute(Requests.get("metadata", "node.id")), GetResponse.parser())
                .getVersioned(0)
                .getValue()
                .toStringUtf8())
        .isEqualTo("0");
    RequestContext.Builder ours = RequestContext.newBuilder().setClient("c").setEpoch(0);
    assertThat(
            connection
                .call(
                    Requests.with(ours, Requests.shouldRoute(Requests.get(TestNodes.ONCE, "k"))),
                    GetResponse.parser())
                .getError()
                .getErrorMessage())
        .contains("must route by itself");

    services.get(1).stopServing();
    services.get(2).stopServing();
    assertThat(get(keyOfAnotherNode(), true).getError().getErrorCode())
        .isEqualTo(ErrorCode.INSUFFICIENT_OPERATIONAL_NODES.code());
  }

  private GetResponse get(String key, boolean routed) throws IOException {
    var request = Requests.get(TestNodes.ONCE, key);
    return connection.call(routed ? Requests.shouldRoute(request) : request, GetResponse.parser());
  }

  private PutResponse put(String key, Versioned version) throws IOException {
    return connection.call(
        Requests.shouldRoute(Requests.put(TestNodes.ONCE, key, version)), PutResponse.parser());
  }

  private DeleteResponse delete(String key, VectorClock upTo) throws IOException {
    return connection.call(
        Requests.shouldRoute(Requests.delete(TestNodes.ONCE, key, upTo)), DeleteResponse.parser());
  }

  private String keyOfAnotherNode() {
    Ring ring = new Ring(cluster, 1);
    return IntStream.range(0, 1_000)
        .mapToObj(i -> "k" + i)
        .filter(key -> ring.preferenceList(key.getBytes(StandardCharsets.UTF_8)).get(0) != ASKED)
        .findFirst()
        .orElseThrow();
  }
}
