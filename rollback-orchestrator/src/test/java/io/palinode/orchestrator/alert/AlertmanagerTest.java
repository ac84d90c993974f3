package io.palinode.orchestrator.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.palinode.orchestrator.Alert;
import io.palinode.orchestrator.Alert.Kind;
import io.palinode.wire.KafkaSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real Alertmanager receives, groups and resolves. Needs {@code prometheus-alertmanager}; with
 * -Pnightly only.
 */
@Timeout(240)
@EnabledIfSystemProperty(named = "palinode.prometheus", matches = "true")
class AlertmanagerTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration BOUND = Duration.ofMinutes(1);
  private static final String LOOPBACK = "127.0.0.1";

  @TempDir private Path folder;
  private final List<JsonNode> notifications = new CopyOnWriteArrayList<>();
  private final AtomicLong aheadMicros = new AtomicLong();
  private final HttpClient http = HttpClient.newHttpClient();
  private HttpServer receiver;
  private Process alertmanager;
  private AlertDispatcher dispatcher;
  private String url;

  @BeforeEach
  void start() throws Exception {
    receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.createContext("/notified", this::notified);
    receiver.start();
    String address = LOOPBACK + ":" + freePort();
    url = "http://" + address;
    Files.writeString(
        folder.resolve("alertmanager.yml"),
        """
        route: {receiver: r, group_by: [alertname], group_wait: 1s, group_interval: 1s}
        receivers:
          - name: r
            webhook_configs: [{url: "http://127.0.0.1:%d/notified", send_resolved: true}]
        """
            .formatted(receiver.getAddress().getPort()));
    alertmanager =
        new ProcessBuilder(
                "prometheus-alertmanager",
                "--config.file=alertmanager.yml",
                "--storage.path=data",
                "--cluster.listen-address=",
                "--web.listen-address=" + address)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    await()
        .atMost(BOUND)
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(() -> get("/-/ready").statusCode() == 200);
    dispatcher =
        new AlertDispatcher(
            new AlertSettings(
                List.of("alertmanager:" + url),
                new WebhookRules(List.of(LOOPBACK)),
                10,
                new AlertSettings.Posts(3, Duration.ofMillis(5), Duration.ofSeconds(5)),
                null,
                null),
            KafkaSettings.of("127.0.0.1:1"),
            line -> {},
            () -> "http://127.0.0.1:1",
            this::micros);
    dispatcher.start();
  }

  @AfterEach
  void stop() throws InterruptedException {
    if (dispatcher != null) {
      dispatcher.close();
    }
    receiver.stop(0);
    alertmanager.destroy();
    assertThat(alertmanager.waitFor(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void alertsAreReceivedGroupedAndResolved() throws Exception {
    Alert clock =
        Alert.toOperator(Kind.CLOCK_OFFSET, Map.of("node", "2"), "node 2 is ahead", micros());
    Alert first = violation("a=1");
    List.of(clock, first, violation("a=2")).forEach(dispatcher::raise);
    await()
        .atMost(BOUND)
        .untilAsserted(
            () ->
                assertThat(states())
                    .isEqualTo(
                        Map.of(
                            "PalinodeClockOffset 2", "firing",
                            "PalinodeViolation a=1", "firing",
                            "PalinodeViolation a=2", "firing")));
    assertThat(groups()).isEqualTo(Map.of("PalinodeClockOffset", 1, "PalinodeViolation", 2));
    assertThat(notifications)
        .allMatch(each -> each.get("groupLabels").get("alertname").asText().startsWith("Palinode"));

    dispatcher.raise(clock.endedAt(micros()));
    dispatcher.raise(first.endedAt(micros()));
    // An Alertmanager receives no end within the first minute.
    aheadMicros.set(OpenAlerts.FIRES_MIN_MICROS);
    dispatcher.look(nothingElseEnds());
    await()
        .atMost(BOUND)
        .untilAsserted(
            () ->
                assertThat(states())
                    .isEqualTo(
                        Map.of(
                            "PalinodeClockOffset 2", "resolved",
                            "PalinodeViolation a=1", "resolved",
                            "PalinodeViolation a=2", "firing")));
    assertThat(groups()).isEqualTo(Map.of("PalinodeViolation", 1));
    assertThat(dispatcher.counts(Format.ALERTMANAGER).failed()).isZero();
  }

  private Alert violation(String binding) {
    return Alert.toOperator(
        Kind.VIOLATION,
        Map.of("predicate", "mutex", "binding", binding),
        "predicate mutex was violated",
        micros());
  }

  private static OpenAlerts.Causes nothingElseEnds() {
    return new OpenAlerts.Causes() {
      @Override
      public List<Alert> earlier() {
        return List.of();
      }

      @Override
      public long endMicros(Alert alert, long nowMicros) {
        return 0;
      }
    };
  }

  /** The latest state of each alert, by what the receiver was notified of. */
  private Map<String, String> states() {
    Map<String, String> states = new TreeMap<>();
    for (JsonNode notification : notifications) {
      for (JsonNode alert : notification.get("alerts")) {
        JsonNode labels = alert.get("labels");
        String what = labels.path("node").asText() + labels.path("binding").asText();
        states.put(labels.get("alertname").asText() + " " + what, alert.get("status").asText());
      }
    }
    return states;
  }

  /** The number of active alerts of each group, as the Alertmanager has them. */
  private Map<String, Integer> groups() throws Exception {
    Map<String, Integer> groups = new TreeMap<>();
    for (JsonNode group : JSON.readTree(get("/api/v2/alerts/groups").body())) {
      groups.put(group.get("labels").get("alertname").asText(), group.get("alerts").size());
    }
    return groups;
  }

  private HttpResponse<String> get(String path) throws Exception {
    return http.send(
        HttpRequest.newBuilder(URI.create(url + path)).build(), BodyHandlers.ofString());
  }

  private void notified(HttpExchange exchange) throws IOException {
    notifications.add(JSON.readTree(exchange.getRequestBody().readAllBytes()));
    exchange.sendResponseHeaders(200, -1);
    exchange.close();
  }

  private long micros() {
    return TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()) + aheadMicros.get();
  }

  private static int freePort() throws IOException {
    try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return any.getLocalPort();
    }
  }
}
