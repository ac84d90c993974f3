package io.palinode.cli.status;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.palinode.cli.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The destinations of alerts, as options and as the answers of a test. */
class AlertCommandTest {
  private static final String DELIVERED =
      "{\"destination\":\"console\",\"delivered\":true,\"answer\":\"see the output\"}";
  private static final String REFUSED =
      "{\"destination\":\"webhook:h\",\"delivered\":false,\"answer\":\"HTTP status 404\"}";

  private final List<String> bodies = new CopyOnWriteArrayList<>();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void theAnswerOfEachDestinationIsShownAndARefusalIsTheExitStatus() {
    assertThat(test("[" + DELIVERED + "," + REFUSED + "]")).isEqualTo(1);
    assertThat(out.toString().lines())
        .containsExactly(
            "DESTINATION  DELIVERED  ANSWER",
            "console      yes        see the output",
            "webhook:h    no         HTTP status 404");
  }

  @Test
  void ifAllAcceptTheExitStatusIsZero() {
    assertThat(test("[" + DELIVERED + "]")).isZero();
  }

  @Test
  void aDestinationThatNoPredicateCouldNameIsRefusedBeforeAnythingStarts() {
    for (List<String> command :
        List.of(
            List.of("up"), List.of("run", "orchestrator", "--kafka", "127.0.0.1:1", "--nodes=3"))) {
      assertThat(run(command, "--alert", "console", "--alert", "pager")).isEqualTo(2);
      assertThat(err.toString().strip())
          .endsWith(
              "--alert: an alert must be console, kafka:TOPIC or FORMAT:URL with an http or https"
                  + " URL, where FORMAT is webhook, alertmanager, slack, cloudevents: 'pager'");
      assertThat(run(command, "--alert", "console", "--alert", "console")).isEqualTo(2);
      assertThat(err.toString()).contains("must not be named twice");
      assertThat(run(command, "--alert", "kafka:palinode.control.v1")).isEqualTo(2);
      assertThat(err.toString())
          .contains("--alert: alerts may not go to a topic of Palinode: palinode.control.v1");
    }
  }

  @Test
  void aNamedDestinationIsAskedForAlone() {
    assertThat(test("[" + DELIVERED + "]", "slack:https://h/x")).isZero();
    assertThat(bodies).containsExactly("{\"destination\":\"slack:https://h/x\"}");
  }

  private int test(String answer, String... named) {
    server.createContext(
        "/api/v1/alerts/test",
        exchange -> {
          bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    String url = "http://127.0.0.1:" + server.getAddress().getPort();
    List<String> command = new ArrayList<>(List.of("alert", "test"));
    command.addAll(List.of(named));
    return run(command, "--server", url);
  }

  private int run(List<String> command, String... options) {
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    List<String> arguments = new ArrayList<>(command);
    arguments.addAll(List.of(options));
    return line.execute(arguments.toArray(String[]::new));
  }
}
