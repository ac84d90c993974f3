package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.launcher.embedded.Ports;
import io.palinode.predicate.form.Predicates;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.client.session.RolledBackException;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** The dashboard with a real Prometheus, whose command is on the PATH. With -Pnightly only. */
@Timeout(400)
@EnabledIfSystemProperty(named = "palinode.prometheus", matches = "true")
class PrometheusIT {
  private static final Duration BOUND = Duration.ofMinutes(2);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path FILES = Path.of("../dashboards");

  /** A violation of lagging replicas does not occur here. */
  private static final String PHANTOMS = "palinode_phantoms_total";

  private static final String MUTEX =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: mutex}
      spec:
        violation:
          - all:
              - {var: "cs_1", equals: "1"}
              - {var: "cs_2", equals: "1"}
        onViolation:
          rollback: {scope: all, to: before-violation}
      """;

  @TempDir Path folder;
  private final HttpClient http = HttpClient.newHttpClient();

  @Test
  void everyPanelAndAnnotationHasData() throws Exception {
    int port = Ports.free(1).get(0);
    try (RealParts parts = RealParts.start(folder);
        StoreClient client = parts.client("a")) {
      parts.plane().apply(Predicates.parse(MUTEX, "mutex.yaml"));
      Process prometheus = prometheus(port, parts.plane().apiUrl());
      try {
        await()
            // Clocks are measured from the second report of each node, 10 s after the first.
            .atMost(BOUND)
            .pollInterval(Duration.ofSeconds(1))
            .ignoreExceptionsInstanceOf(IOException.class)
            .untilAsserted(
                () -> {
                  violate(client);
                  assertThat(emptyQueries(port)).allMatch(query -> query.contains(PHANTOMS));
                });
        assertThat(count(port, "palinode_detector_opened_total{node=\"7\"}")).isZero();
        assertThat(count(port, "ALERTS{alertname=\"PalinodeViolation\"}")).isPositive();
      } finally {
        prometheus.destroy();
        assertThat(prometheus.waitFor(30, TimeUnit.SECONDS)).isTrue();
      }
    }
  }

  /** Writes until both keys hold; a rollback of the write before may be reported first. */
  private static void violate(StoreClient client) {
    for (String key : List.of("cs_1", "cs_2")) {
      try {
        client.store(RealParts.STORE).put(key, "1");
      } catch (RolledBackException again) {
        client.store(RealParts.STORE).put(key, "1");
      }
    }
  }

  private List<String> emptyQueries(int port) throws Exception {
    List<String> empty = new ArrayList<>();
    JsonNode dashboard = JSON.readTree(FILES.resolve("grafana/palinode.json").toFile());
    List<String> queries = new ArrayList<>();
    dashboard
        .get("panels")
        .forEach(panel -> queries.addAll(panel.path("targets").findValuesAsText("expr")));
    List<String> annotations = dashboard.at("/annotations/list").findValuesAsText("expr");
    assertThat(annotations).isNotEmpty();
    queries.addAll(annotations);
    for (String query : queries) {
      if (count(port, query) == 0) {
        empty.add(query);
      }
    }
    return empty;
  }

  /** The number of series that are not NaN. */
  private int count(int port, String query) throws Exception {
    String asked =
        query
            .replace("$__rate_interval", "10s")
            .replace("$__range", "1m")
            .replaceAll("\\$(cluster|node|predicate)", ".*");
    URI url =
        URI.create(
            "http://127.0.0.1:%d/api/v1/query?query=%s"
                .formatted(port, URLEncoder.encode(asked, StandardCharsets.UTF_8)));
    HttpResponse<String> answer =
        http.send(HttpRequest.newBuilder(url).build(), HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as("%s: %s", asked, answer.body()).isEqualTo(200);
    int count = 0;
    for (JsonNode series : JSON.readTree(answer.body()).at("/data/result")) {
      count += series.at("/value/1").asText().equals("NaN") ? 0 : 1;
    }
    return count;
  }

  /** With the files of the dashboards, but scrapes each second. */
  private Process prometheus(int port, String api) throws IOException {
    String configuration =
        Files.readString(FILES.resolve("prometheus/prometheus.yml"))
            .replace("127.0.0.1:6766", URI.create(api).getAuthority())
            .replace("interval: 5s", "interval: 1s");
    Files.writeString(folder.resolve("prometheus.yml"), configuration);
    Files.copy(FILES.resolve("prometheus/rules.yml"), folder.resolve("rules.yml"));
    return new ProcessBuilder(
            "prometheus",
            "--config.file=prometheus.yml",
            "--storage.tsdb.path=prometheus",
            "--web.listen-address=127.0.0.1:" + port)
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("prometheus.log").toFile())
        .start();
  }
}
