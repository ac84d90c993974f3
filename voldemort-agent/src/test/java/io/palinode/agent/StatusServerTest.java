package io.palinode.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StatusServerTest {
  @Test
  void aPortThatIsTakenDoesNotEndTheServer() throws IOException {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    AgentConfig config = AgentConfig.parse("f", "kafka: a:1\ndata: d\n");
    WatchedServer server = new WatchedServer(config, registry, () -> {});
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThat(StatusServer.start(taken.getLocalPort(), "1", Set::of, server, registry))
          .isFalse();
    }
  }
}
