package io.palinode.store.hosted;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StatusPagesTest {
  private static final Map<String, StatusPages.Page> PAGES =
      Map.of(
          "/status",
          query -> {
            if (query != null) {
              throw new IllegalArgumentException("no query is needed: " + query);
            }
            return "{}";
          });

  @Test
  void aPageIsAnsweredOrRefusedAndKeepsNoProcessAlive() throws Exception {
    int port = freePort();
    Set<Thread> before = threads();
    assertThat(start(port)).isTrue();
    assertThat(threads())
        .filteredOn(thread -> !before.contains(thread))
        .filteredOn(thread -> thread.getName().equals("HTTP-Dispatcher"))
        .isNotEmpty()
        .allMatch(Thread::isDaemon);
    assertThat(get(port, "/status").body()).isEqualTo("{}");
    HttpResponse<String> refused = get(port, "/status?x=1");
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body()).isEqualTo("{\"error\":\"no query is needed: x=1\"}");
    // Another process has the port.
    assertThat(start(port)).isFalse();
  }

  private static boolean start(int port) {
    return StatusPages.start(port, PAGES, new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));
  }

  private static Set<Thread> threads() {
    return new HashSet<>(Thread.getAllStackTraces().keySet());
  }

  private static HttpResponse<String> get(int port, String path) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
            HttpResponse.BodyHandlers.ofString());
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
