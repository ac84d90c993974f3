package io.palinode.voldemort.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.palinode.detector.binding.WriteEvent;
import io.palinode.tls.ClientFiles;
import io.palinode.tls.ClientTls;
import io.palinode.tls.ServerFiles;
import io.palinode.tls.ServerTls;
import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.TestNodes;
import io.palinode.voldemort.access.CopyProofs;
import io.palinode.voldemort.access.NodeTls;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.protocol.Pb0.GetResponse;
import io.palinode.voldemort.protocol.Pb0.PutResponse;
import io.palinode.voldemort.protocol.Pb0.RequestContext;
import io.palinode.voldemort.protocol.Pb0.ResponseContext;
import io.palinode.voldemort.protocol.Pb0.VoldemortRequest;
import io.palinode.voldemort.protocol.Versioned;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which writes nodes with a key of copies take for copies, over real connections. */
@Timeout(120)
class ProvenCopiesTest {
  private static final int NODES = 3;
  private static final String STORE = "all";
  private static final Path CERTIFICATES = Path.of("../tls/src/test/certificates");
  private static final byte[] KEY = "0123456789abcdef0123456789abcdef".getBytes(UTF_8);

  @TempDir Path data;
  private final List<StoreService> services = new ArrayList<>();
  private final List<List<WriteEvent>> events = new ArrayList<>();

  @BeforeEach
  void start() throws IOException {
    Cluster cluster = TestNodes.listening(NODES);
    // Reads ask all nodes, so they repair.
    StoreDefinition store =
        new StoreDefinition(STORE, Persistence.MEMORY, NODES, 1, 1, NODES, 1, List.of());
    for (int i = 0; i < NODES; i++) {
      ServerTls tls =
          ServerTls.watching(
              new ServerFiles(file("server.pem"), file("server.key"), file("ca.pem")));
      NodeTls proving = new NodeTls(tls, null, new CopyProofs(KEY, new SystemMicros()));
      StoreServiceConfig config =
          StoreServiceConfig.of(StoreNodeConfig.of(i, cluster, List.of(store)), data);
      StoreService service = StoreService.open(config.withTls(proving), new SystemMicros());
      List<WriteEvent> seen = new CopyOnWriteArrayList<>();
      service.node().listen(seen::add);
      service.start();
      services.add(service);
      events.add(seen);
    }
  }

  @AfterEach
  void stop() {
    services.forEach(StoreService::close);
  }

  @Test
  void theCopiesOfTheClientAreCopies() {
    try (StoreClient client = client()) {
      Store store = client.store(STORE);
      for (int i = 0; i < 20; i++) {
        int first = store.put("k" + i, "v").node();
        for (List<WriteEvent> each : events) {
          int count = i + 1;
          await().until(() -> each.size() == count);
          assertThat(each.get(i).origin()).isEqualTo(first);
        }
      }
    }
  }

  @Test
  void aReadRepairIsACopy() throws Exception {
    try (RawConnection one = connect(1)) {
      put(one, own("writer"), TestNodes.version("v", 0, 1));
    }
    try (StoreClient client = client()) {
      assertThat(client.store(STORE).get("k")).isEqualTo("v");
      for (int node : new int[] {0, 2}) {
        await().until(() -> !events.get(node).isEmpty());
        assertThat(events.get(node).get(0).origin()).isEqualTo(1);
        assertThat(events.get(node).get(0).writer()).isEmpty();
      }
    }
  }

  /** Its interval would begin at no node. */
  @Test
  void aWriteThatOnlyClaimsToBeACopyHasAnUnknownOrigin() throws Exception {
    try (RawConnection zero = connect(0)) {
      put(zero, own("eve").setOrigin(1), TestNodes.version("a", 1));
      put(zero, own("eve").setReadAt(1), TestNodes.version("b", 2));
      put(zero, own("eve").setOrigin(1).setReadAt(2), TestNodes.version("c", 3));
    }
    assertThat(events.get(0)).extracting(WriteEvent::origin).containsOnlyNulls();
    assertThat(events.get(0)).extracting(WriteEvent::writer).containsOnly("eve");
  }

  @Test
  void aProofIsOfOneVersionAndOneEpoch() throws Exception {
    Versioned written = TestNodes.version("v", 0, 1);
    long target = services.get(1).node().clock().tick().own();
    try (RawConnection zero = connect(0);
        RawConnection one = connect(1)) {
      ResponseContext accepted = put(one, own("eve"), written);
      RequestContext.Builder copy =
          own("eve").setOrigin(1).setEpoch(0).setProof(accepted.getProof());
      put(zero, copy.clone(), TestNodes.version("other", 0, 1));
      put(zero, copy.clone().setOrigin(2), TestNodes.version("v", 0, 2));
      put(zero, copy.clone().clearEpoch(), TestNodes.version("v", 0, 3));
      assertThat(events.get(0)).extracting(WriteEvent::origin).containsOnlyNulls();
      services.forEach(service -> service.node().pause(1));
      services.forEach(service -> service.node().restore(1, 1, target));
      services.forEach(service -> service.node().resume(1, target, 0));
      events.get(0).clear();
      put(zero, copy.clone().setEpoch(1), written);
      assertThat(events.get(0)).extracting(WriteEvent::origin).containsOnlyNulls().hasSize(1);
    }
  }

  @Test
  void aReadOfThePastProvesNothing() throws Exception {
    try (RawConnection one = connect(1)) {
      ResponseContext accepted = put(one, own("eve"), TestNodes.version("v", 0, 1));
      VoldemortRequest now = Requests.with(own("eve"), Requests.get(STORE, "k"));
      now = now.toBuilder().setGet(now.getGet().toBuilder().setOrigins(true)).build();
      GetResponse present = one.call(now, GetResponse.parser());
      assertThat(present.getVersioned(0).getProof().size()).isEqualTo(24);
      VoldemortRequest then =
          now.toBuilder()
              .setGet(now.getGet().toBuilder().setAsOf(accepted.getAcceptedAt()))
              .build();
      GetResponse past = one.call(then, GetResponse.parser());
      assertThat(past.getVersionedCount()).isOne();
      assertThat(past.getVersioned(0).hasProof()).isFalse();
    }
  }

  private static RequestContext.Builder own(String client) {
    return RequestContext.newBuilder().setClient(client).setEpoch(0);
  }

  private static ResponseContext put(
      RawConnection connection, RequestContext.Builder context, Versioned version)
      throws IOException {
    VoldemortRequest request = Requests.with(context, Requests.put(STORE, "k", version));
    PutResponse answer = connection.call(request, PutResponse.parser());
    assertThat(answer.getError().getErrorMessage()).isEmpty();
    return answer.getPalinode();
  }

  private RawConnection connect(int node) throws IOException {
    return RawConnection.pb0(
        new RawConnection(
            context()
                .getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), services.get(node).port())));
  }

  private StoreClient client() {
    String address = "tls://localhost:" + services.get(1).port();
    return StoreClient.connect(ClientConfig.of(List.of(address), "alice").withTls(context()));
  }

  private static SSLContext context() {
    return ClientTls.context(
        new ClientFiles(file("ca.pem"), file("client.pem"), file("client.key")));
  }

  private static Path file(String name) {
    return CERTIFICATES.resolve(name);
  }
}
