package io.palinode.voldemort.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.palinode.tls.ClientFiles;
import io.palinode.tls.ClientTls;
import io.palinode.tls.ServerFiles;
import io.palinode.tls.ServerTls;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.TestNodes;
import io.palinode.voldemort.access.NodeTls;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.client.session.StoreException;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.protocol.Pb0.DeleteResponse;
import io.palinode.voldemort.protocol.Pb0.DiscardedRequest;
import io.palinode.voldemort.protocol.Pb0.Error;
import io.palinode.voldemort.protocol.Pb0.GetAllResponse;
import io.palinode.voldemort.protocol.Pb0.GetResponse;
import io.palinode.voldemort.protocol.Pb0.GetVersionResponse;
import io.palinode.voldemort.protocol.Pb0.PastRequest;
import io.palinode.voldemort.protocol.Pb0.PastResponse;
import io.palinode.voldemort.protocol.Pb0.PutResponse;
import io.palinode.voldemort.protocol.Pb0.RequestContext;
import io.palinode.voldemort.protocol.Pb0.RequestType;
import io.palinode.voldemort.protocol.Pb0.VoldemortRequest;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.vp.VpRequests;
import io.palinode.voldemort.vp.VpVersion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the users file lets clients do, by their certificates, over real connections. */
@Timeout(120)
class StoreRightsTest {
  private static final int NODES = 3;
  private static final String STORE = TestNodes.EVERYWHERE;
  private static final Path CERTIFICATES = Path.of("../tls/src/test/certificates");

  @TempDir Path data;
  private Path users = Path.of("");
  private int probes;
  private final List<StoreService> services = new ArrayList<>();

  @BeforeEach
  void start() throws IOException {
    users = Files.writeString(data.resolve("users"), "viewer eve sha256:" + "0".repeat(64) + "\n");
    Cluster cluster = TestNodes.listening(NODES);
    for (int i = 0; i < NODES; i++) {
      StoreNodeConfig config =
          StoreNodeConfig.of(i, cluster, TestNodes.stores(NODES, Persistence.MEMORY));
      ServerTls tls =
          ServerTls.watching(
              new ServerFiles(file("server.pem"), file("server.key"), file("ca.pem")));
      StoreServiceConfig service =
          StoreServiceConfig.of(config, data).withTls(new NodeTls(tls, users, null));
      services.add(StoreService.open(service, new SystemMicros()));
      services.get(i).start();
    }
  }

  @AfterEach
  void stop() {
    services.forEach(StoreService::close);
  }

  @Test
  void eachRequestNeedsItsRights() throws Exception {
    allow("read,write,past,replica");
    Map<VoldemortRequest, Set<String>> needed = requests();
    try (RawConnection connection = connect("client")) {
      for (VoldemortRequest request : needed.keySet()) {
        assertThat(error(connection, request)).as("%s", request).doesNotContain("alice");
      }
      for (String left :
          List.of(
              "write,past,replica", "read,past,replica", "read,write,replica", "read,write,past")) {
        allow(left);
        for (Map.Entry<VoldemortRequest, Set<String>> each : needed.entrySet()) {
          String error = error(connection, each.getKey());
          boolean mayDo = List.of(left.split(",", -1)).containsAll(each.getValue());
          if (mayDo) {
            assertThat(error).as("%s with %s", each.getKey(), left).doesNotContain("alice");
          } else {
            assertThat(error)
                .as("%s with %s", each.getKey(), left)
                .startsWith("user 'alice' may not send this request")
                .contains("the right '");
          }
        }
      }
    }
  }

  /** With the rights that each needs. */
  private static Map<VoldemortRequest, Set<String>> requests() {
    RequestContext.Builder ours = RequestContext.newBuilder().setClient("alice/1");
    VoldemortRequest put = Requests.put(STORE, "k", TestNodes.version("v", 1));
    VoldemortRequest delete = Requests.delete(STORE, "k", VectorClock.EMPTY);
    VoldemortRequest get = Requests.get(STORE, "k");
    Map<VoldemortRequest, Set<String>> needed = new LinkedHashMap<>();
    needed.put(Requests.get(StoreNode.METADATA, "cluster.xml"), Set.of());
    needed.put(get, Set.of("read"));
    needed.put(Requests.getVersion(STORE, "k"), Set.of("read"));
    needed.put(Requests.getAll(STORE, "k"), Set.of("read"));
    needed.put(asOf(get), Set.of("past"));
    needed.put(asOf(Requests.getVersion(STORE, "k")), Set.of("past"));
    needed.put(
        get.toBuilder().setGet(get.getGet().toBuilder().setSnapshot("daily")).build(),
        Set.of("past"));
    needed.put(past(PastRequest.newBuilder().setReach(true)), Set.of());
    needed.put(past(PastRequest.newBuilder().setVerify("daily")), Set.of("past"));
    needed.put(
        past(
            PastRequest.newBuilder()
                .setDiscarded(
                    DiscardedRequest.newBuilder().setFromHlc(1).setToHlc(2).setSettledHlc(3))),
        Set.of("past"));
    needed.put(put, Set.of("write"));
    needed.put(delete, Set.of("write"));
    needed.put(Requests.routedAs(2, put), Set.of("write", "replica"));
    needed.put(Requests.with(ours, put), Set.of("write", "replica"));
    needed.put(Requests.with(ours.clone().setOrigin(1), put), Set.of("write", "replica"));
    needed.put(Requests.with(ours.clone().setReadAt(1), put), Set.of("write", "replica"));
    needed.put(Requests.with(ours.clone().setOrigin(1), delete), Set.of("write", "replica"));
    return needed;
  }

  private static VoldemortRequest asOf(VoldemortRequest get) {
    return get.toBuilder().setGet(get.getGet().toBuilder().setAsOf(1)).build();
  }

  private static VoldemortRequest past(PastRequest.Builder question) {
    return VoldemortRequest.newBuilder()
        .setType(RequestType.PAST)
        .setShouldRoute(false)
        .setStore(STORE)
        .setPast(question)
        .build();
  }

  @Test
  void aRightOfOneStoreIsOfNoOther() throws Exception {
    String own = ",%s:" + STORE;
    String other = ",%s:another";
    for (String left : List.of("read", "write", "past", "replica")) {
      // Each other right is for the store of the requests.
      String rights =
          Stream.of("read", "write", "past", "replica")
              .map(right -> (right.equals(left) ? other : own).formatted(right))
              .collect(Collectors.joining())
              .substring(1);
      allow(rights);
      try (RawConnection connection = connect("client")) {
        for (Map.Entry<VoldemortRequest, Set<String>> each : requests().entrySet()) {
          String error = error(connection, each.getKey());
          boolean isOfAllStores = each.getKey().getPast().hasVerify();
          if (isOfAllStores || each.getValue().contains(left)) {
            assertThat(error)
                .as("%s with %s", each.getKey(), rights)
                .contains(
                    isOfAllStores
                        ? "needs the right 'past'"
                        : "needs the right '%s' or '%s:%s'".formatted(left, left, STORE));
          } else {
            assertThat(error).as("%s with %s", each.getKey(), rights).doesNotContain("alice");
          }
        }
      }
    }
  }

  @Test
  void nativeProtocolsHaveTheSameRights() throws Exception {
    byte[] key = "k".getBytes(StandardCharsets.UTF_8);
    VpRequests vp1 = VpRequests.of(VpVersion.VP1);
    byte[] clock = VectorClock.EMPTY.encode();
    for (String rights : List.of("read", "write")) {
      allow(rights + ":" + STORE + ",read:another,write:another");
      assertThat(vp1(vp1.get(STORE, key))).as(rights).isEqualTo(rights.equals("read"));
      assertThat(vp1(vp1.put(STORE, key, clock, key))).as(rights).isEqualTo(rights.equals("write"));
      assertThat(vp1(vp1.delete(STORE, key, clock))).as(rights).isEqualTo(rights.equals("write"));
      assertThat(vp1(vp1.get(StoreNode.METADATA, "cluster.xml".getBytes(StandardCharsets.UTF_8))))
          .isTrue();
    }
  }

  /** Whether the node did it. */
  private boolean vp1(byte[] request) throws IOException {
    try (RawConnection connection = new RawConnection(tls("client"))) {
      connection.send("vp1".getBytes(StandardCharsets.US_ASCII));
      assertThat(connection.text(2)).isEqualTo("ok");
      connection.send(request);
      return connection.hex(2).equals("0000");
    }
  }

  @Test
  void aCertificateThatIsNoUsersMayDoNothing() throws Exception {
    allow("read,write,past,replica");
    try (RawConnection connection = connect("renewed")) {
      for (VoldemortRequest request : requests().keySet()) {
        assertThat(error(connection, request))
            .isEqualTo(
                "the certificate of this client is no user's of the stores: 'palinode user add"
                    + " --store' adds one");
      }
    }
  }

  @Test
  void aUserNamesNoClientOfAnother() throws Exception {
    allow("read,write,replica");
    try (RawConnection connection = connect("client")) {
      for (String client : List.of("bob", "alice2", "router-1", "alic")) {
        RequestContext.Builder other = RequestContext.newBuilder().setClient(client);
        assertThat(error(connection, Requests.with(other, Requests.get(STORE, "k"))))
            .isEqualTo(
                "the client id '%s' is not of user 'alice': name the client 'alice' or 'alice/…'"
                    .formatted(client));
      }
      for (String client : List.of("", "alice", "alice/worker-1")) {
        RequestContext.Builder own = RequestContext.newBuilder().setClient(client);
        assertThat(error(connection, Requests.with(own, Requests.get(STORE, "k")))).isEmpty();
      }
    }
  }

  @Test
  void anOpenConnectionHasTheRightsOfTheFileNow() throws Exception {
    allow("read");
    try (RawConnection connection = connect("client")) {
      assertThat(error(connection, Requests.get(STORE, "k"))).isEmpty();
      Files.writeString(users, "store:read alice no subject\n");
      await()
          .during(Duration.ofSeconds(2))
          .until(() -> error(connection, Requests.get(STORE, "k")).isEmpty());
      Files.writeString(users, "# no user\n");
      await().until(() -> error(connection, Requests.get(STORE, "k")).contains("is no user's"));
    }
  }

  @Test
  void aProgramWithTheRightOfReplicasWritesAndReads() throws Exception {
    allow("read:%s,write:%s,replica:%s".formatted(STORE, STORE, STORE));
    try (StoreClient client = client("alice/1")) {
      Store store = client.store(STORE);
      store.put("k", "v");
      assertThat(store.get("k")).isEqualTo("v");
      assertThatThrownBy(() -> store.past().getAt(0, "k", 1))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("the right 'past'");
    }
    assertThatThrownBy(() -> client("bob"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("is not of user 'alice'");
  }

  @Test
  void aRefusedWriteLeavesNoVersionAtAnyNode() throws Exception {
    allow("read,write");
    try (StoreClient client = client("alice")) {
      assertThatThrownBy(() -> client.store(STORE).put("k", "v"))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("the right 'replica'");
    }
    for (int i = 0; i < NODES; i++) {
      try (RawConnection connection = connect("client", i)) {
        assertThat(
                connection.call(Requests.get(STORE, "k"), GetResponse.parser()).getVersionedCount())
            .isZero();
      }
    }
  }

  /** The node writes the copies, as another node for the others. */
  @Test
  void aClientWithoutTheRightOfReplicasWritesThroughANode() throws Exception {
    allow("read,write");
    try (RawConnection connection = connect("client")) {
      VoldemortRequest put = Requests.put(STORE, "k", TestNodes.version("v"));
      assertThat(error(connection, Requests.shouldRoute(put))).isEmpty();
    }
    try (RawConnection other = connect("client", 2)) {
      await()
          .untilAsserted(
              () ->
                  assertThat(
                          TestServices.values(
                              other.call(Requests.get(STORE, "k"), GetResponse.parser())))
                      .containsExactly("v"));
    }
  }

  /** Replaces the user's rights, and waits until each node has read the file again. */
  private void allow(String rights) throws Exception {
    String probe = "probe" + ++probes;
    Files.writeString(
        users,
        "store:%s alice subject:CN=client,O=Example\nstore:read %s subject:CN=elsewhere,O=Example\n"
            .formatted(rights, probe));
    VoldemortRequest named =
        Requests.with(RequestContext.newBuilder().setClient(probe), Requests.get(STORE, "k"));
    for (int i = 0; i < NODES; i++) {
      try (RawConnection connection = connect("elsewhere", i)) {
        await().until(() -> error(connection, named).isEmpty());
      }
    }
  }

  private static String error(RawConnection connection, VoldemortRequest request)
      throws IOException {
    Error error =
        switch (request.getType()) {
          case GET -> connection.call(request, GetResponse.parser()).getError();
          case GET_ALL -> connection.call(request, GetAllResponse.parser()).getError();
          case GET_VERSION -> connection.call(request, GetVersionResponse.parser()).getError();
          case PUT -> connection.call(request, PutResponse.parser()).getError();
          case DELETE -> connection.call(request, DeleteResponse.parser()).getError();
          case PAST -> connection.call(request, PastResponse.parser()).getError();
        };
    return error.getErrorMessage();
  }

  private RawConnection connect(String certificate) throws IOException {
    return connect(certificate, 0);
  }

  private RawConnection connect(String certificate, int node) throws IOException {
    return RawConnection.pb0(
        new RawConnection(
            context(certificate)
                .getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), services.get(node).port())));
  }

  private Socket tls(String certificate) throws IOException {
    return context(certificate)
        .getSocketFactory()
        .createSocket(InetAddress.getLoopbackAddress(), services.get(0).port());
  }

  private StoreClient client(String id) {
    String address = "tls://localhost:" + services.get(1).port();
    return StoreClient.connect(ClientConfig.of(List.of(address), id).withTls(context("client")));
  }

  private static SSLContext context(String name) {
    return ClientTls.context(
        new ClientFiles(file("ca.pem"), file(name + ".pem"), file(name + ".key")));
  }

  private static Path file(String name) {
    return CERTIFICATES.resolve(name);
  }
}
