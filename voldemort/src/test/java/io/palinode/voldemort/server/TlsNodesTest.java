package io.palinode.voldemort.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.tls.ClientFiles;
import io.palinode.tls.ClientTls;
import io.palinode.tls.ServerFiles;
import io.palinode.tls.ServerTls;
import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.TestNodes;
import io.palinode.voldemort.access.NodeTls;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.client.session.StoreException;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.protocol.Pb0.GetResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three nodes over TLS, which know each other and their clients by certificates. */
@Timeout(120)
class TlsNodesTest {
  private static final int NODES = 3;
  private static final Path CERTIFICATES = Path.of("../tls/src/test/certificates");

  @TempDir Path data;
  private final List<StoreService> services = new ArrayList<>();

  @BeforeEach
  void start() throws IOException {
    start("server");
  }

  private void start(String certificate) throws IOException {
    Cluster cluster = TestNodes.listening(NODES);
    for (int i = 0; i < NODES; i++) {
      StoreNodeConfig config =
          StoreNodeConfig.of(i, cluster, TestNodes.stores(NODES, Persistence.MEMORY));
      ServerTls tls =
          ServerTls.watching(
              new ServerFiles(
                  file(certificate + ".pem"), file(certificate + ".key"), file("ca.pem")));
      services.add(
          StoreService.open(
              StoreServiceConfig.of(config, data).withTls(new NodeTls(tls, null, null)),
              new SystemMicros()));
      services.get(i).start();
    }
  }

  @AfterEach
  void stop() {
    services.forEach(StoreService::close);
  }

  @Test
  void aClientWithACertificateWritesAndReads() {
    try (StoreClient client = connect("tls://localhost:", client("ca", "client"))) {
      Store store = client.store(TestNodes.EVERYWHERE);
      for (int i = 0; i < 100; i++) {
        store.put("k" + i, "v" + i);
        assertThat(store.get("k" + i)).isEqualTo("v" + i);
      }
    }
  }

  @Test
  void otherClientsDoNotConnect() {
    assertThatThrownBy(() -> connect("localhost:", null)).isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> connect("tls://localhost:", client("ca", null)))
        .as("without a certificate")
        .isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> connect("tls://localhost:", client("ca", "stranger")))
        .as("with a certificate of another authority")
        .isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> connect("tls://localhost:", client("ca", "expired")))
        .as("with an expired certificate")
        .isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> connect("tls://localhost:", client("other-ca", "client")))
        .as("that trusts another authority")
        .isInstanceOf(StoreException.class);
    aClientWithACertificateWritesAndReads();
  }

  @Test
  void aClientRefusesANodeWhoseCertificateHasAnotherName() throws IOException {
    stop();
    services.clear();
    start("elsewhere");
    assertThatThrownBy(() -> connect("tls://localhost:", client("ca", "client")))
        .isInstanceOf(StoreException.class)
        .hasStackTraceContaining("localhost");
  }

  @Test
  void aNodeReachesTheOthersForRequestsThatItRoutes() throws IOException {
    try (StoreClient client = connect("tls://localhost:", client("ca", "client"))) {
      for (int i = 0; i < 20; i++) {
        client.store(TestNodes.ONCE).put("k" + i, "v" + i);
      }
    }
    InetAddress loopback = InetAddress.getLoopbackAddress();
    SSLContext tls = client("ca", "client");
    try (RawConnection connection =
        RawConnection.pb0(
            new RawConnection(
                tls.getSocketFactory().createSocket(loopback, services.get(0).port())))) {
      for (int i = 0; i < 20; i++) {
        GetResponse found =
            connection.call(
                Requests.shouldRoute(Requests.get(TestNodes.ONCE, "k" + i)), GetResponse.parser());
        assertThat(TestServices.values(found)).containsExactly("v" + i);
      }
    }
  }

  private StoreClient connect(String address, @Nullable SSLContext tls) {
    ClientConfig config = ClientConfig.of(List.of(address + services.get(1).port()), "alice");
    return StoreClient.connect(tls == null ? config : config.withTls(tls));
  }

  private static SSLContext client(String authority, @Nullable String name) {
    return ClientTls.context(
        name == null
            ? new ClientFiles(file(authority + ".pem"), null, null)
            : new ClientFiles(file(authority + ".pem"), file(name + ".pem"), file(name + ".key")));
  }

  private static Path file(String name) {
    return CERTIFICATES.resolve(name);
  }
}
