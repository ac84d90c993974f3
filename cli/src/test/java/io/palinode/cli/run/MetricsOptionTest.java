package io.palinode.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.palinode.launcher.embedded.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

@Timeout(60)
class MetricsOptionTest {
  /** A page whose name was made to resolve to this machine could read them. */
  @Test
  void metricsWithoutUsersAnswerToThisMachineAlone() throws Exception {
    int port = Ports.free(1).get(0);
    MetricsOption option =
        CommandLine.populateCommand(new MetricsOption(), "--metrics-port=" + port);
    AccessOptions access = CommandLine.populateCommand(new AccessOptions());
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    try (MetricsOption.Served served = option.serve(registry, access)) {
      assertThat(served).isNotNull();
      assertThat(option.open(access)).isNull();
      assertThat(status(port, "Host: localhost:" + port)).contains(" 200 ");
      assertThat(status(port, "Host: 127.0.0.1:" + port)).contains(" 200 ");
      assertThat(status(port, "Host: rebound.example:" + port)).contains(" 403 ");
      assertThat(status(port, "Host: localhost\r\nOrigin: http://x.example")).contains(" 403 ");
    }
  }

  private static String status(int port, String headers) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      String request = "GET /metrics HTTP/1.1\r\n" + headers + "\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      return answer.lines().findFirst().orElse("");
    }
  }
}
