package io.palinode.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.palinode.store.hosted.HostedConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class StatusServerTest {
  @Test
  void aPortThatIsTakenDoesNotEndTheServer() throws IOException {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    HostedConfig config = HostedConfig.parse("f", "kafka: a:1\ndata: d\n");
    WatchedServer server = new WatchedServer(config, registry, () -> {});
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThat(StatusServer.start(taken.getLocalPort(), "1", Set::of, server, registry))
          .isFalse();
    }
  }

  @Test
  @Timeout(60)
  void requestsThatDoNotEndDelayOthersForSeconds() throws Exception {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    HostedConfig config = HostedConfig.parse("f", "kafka: a:1\ndata: d\n");
    WatchedServer server = new WatchedServer(config, registry, () -> {});
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    assertThat(StatusServer.start(port, "1", Set::of, server, registry)).isTrue();
    List<Socket> slow = new ArrayList<>();
    try {
      for (int i = 0; i < 4; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.getOutputStream().write("GET /met".getBytes(StandardCharsets.US_ASCII));
        slow.add(socket);
      }
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/metrics".formatted(port))).build();
      assertThat(HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).statusCode())
          .isEqualTo(200);
    } finally {
      for (Socket socket : slow) {
        socket.close();
      }
    }
  }
}
