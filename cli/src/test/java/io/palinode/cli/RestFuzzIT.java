package io.palinode.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.palinode.orchestrator.rest.RestServer;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.client.session.RolledBackException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random requests to every route of a real cluster, while a client of the store works. Prints the
 * answers, the longest operation of that client, and the growth of the heap. {@code
 * -Dpalinode.fuzz.minutes=10} sends requests for ten minutes.
 */
class RestFuzzIT {
  private static final Duration DELAY_MAX = Duration.ofSeconds(1);
  private static final int TURNS = 10;
  private static final int REQUESTS = Integer.getInteger("palinode.fuzz.requests", 2_000);
  private static final Duration LEAST =
      Duration.ofMinutes(Integer.getInteger("palinode.fuzz.minutes", 0));
  private static final long SEED = Long.getLong("palinode.seed", 21);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration ANSWER_MAX = Duration.ofSeconds(60);

  /** What the cluster keeps of the first requests, such as events, is in the heap by then. */
  private static final int WARM_UP = REQUESTS / 2;

  private static final long GROWTH_MAX_BYTES = 128L << 20;

  private static final List<String> METHODS =
      List.of("GET", "HEAD", "PUT", "POST", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW");

  private static final List<String> BODIES =
      List.of(
          """
          apiVersion: palinode.io/v1
          kind: Predicate
          metadata: {name: fuzz}
          spec:
            violation:
              - all:
                  - {var: "a", equals: "1"}
                  - {var: "b", equals: "1"}
            onViolation: {rollback: none}
          """,
          "{\"to\": \"-1s\", \"request\": \"r\"}",
          "{\"to\": \"2026-11-21T12:00:00.000000Z.1\"}",
          "{\"violation\": \"abcdef0123456789\", \"scope\": \"affected\", \"keys\": [{\"store\": \"default\", \"key\": \"a\"}]}",
          "{\"snapshot\": \"s\", \"undo\": 1, \"compareAll\": true}",
          "{\"name\": \"s\", \"at\": \"now\", \"rolling\": false, \"atOnce\": 2}",
          "{\"everySeconds\": 3600, \"keep\": 2, \"beforeViolations\": true}");

  private static final List<String> PIECES =
      List.of(
          "null",
          "[]",
          "{}",
          "\"\"",
          "-1",
          "0",
          "9223372036854775808",
          "1e999",
          "NaN",
          "true",
          "\u0000",
          "\ud83d\ude00",
          "&a [*a]",
          "<!DOCTYPE x [<!ENTITY y SYSTEM \"file:///etc/passwd\">]><x>&y;</x>",
          "{".repeat(2_000),
          "[".repeat(5_000),
          "- ".repeat(3_000),
          "a: ".repeat(3_000),
          "x".repeat(70_000));

  private static final List<String> VALUES =
      List.of(
          "fuzz",
          "1",
          "0",
          "-1",
          "9223372036854775807",
          "9223372036854775808",
          "-30s",
          "x",
          "%00",
          "..%2f..%2fetc",
          "%F0%9F%98%80",
          "definite",
          "a".repeat(300),
          "%22%3B",
          "0,1,2",
          "true",
          "");

  private static final List<String> IDS =
      VALUES.stream().filter(value -> !value.isEmpty()).toList();

  private record Answer(String asked, int statusCode, String type, String body) {}

  @TempDir Path folder;
  private final HttpClient http = HttpClient.newHttpClient();
  private final Random random = new Random(SEED);
  private RealParts parts;

  @BeforeEach
  void start() {
    parts = RealParts.start(folder);
  }

  @AfterEach
  void stop() {
    parts.close();
  }

  @Test
  void everyRequestIsAnsweredAndTheClusterWorksAfterwards() throws Exception {
    List<String> routes = routes();
    AtomicBoolean ended = new AtomicBoolean();
    AtomicLong longestNanos = new AtomicLong();
    AtomicLong operations = new AtomicLong();
    Thread canary = new Thread(() -> work(ended, longestNanos, operations), "canary");
    canary.start();
    AtomicLong stalledNanos = new AtomicLong();
    Thread idle = new Thread(() -> idle(ended, stalledNanos), "idle");
    idle.start();
    Map<Integer, Integer> answers = new TreeMap<>();
    long startNanos = System.nanoTime();
    long warmBytes = 0;
    int sent = 0;
    try {
      for (; sent < REQUESTS || System.nanoTime() - startNanos < LEAST.toNanos(); sent++) {
        if (sent == WARM_UP) {
          warmBytes = heapBytes();
        }
        String route = routes.get(random.nextInt(routes.size()));
        Answer answer = send(route);
        answers.merge(answer.statusCode(), 1, Integer::sum);
        requireProblem(sent, answer);
      }
    } finally {
      ended.set(true);
      canary.join();
      idle.join();
    }
    long grownBytes = heapBytes() - warmBytes;
    System.out.printf(
        Locale.ROOT,
        "seed %d: %d requests, answers by status %s; the store's client did %d operations, the"
            + " longest took %.0f ms, an idle thread waited %.0f ms; the heap grew by %.1f MiB%n",
        SEED,
        sent,
        answers,
        operations.get(),
        longestNanos.get() / 1e6,
        stalledNanos.get() / 1e6,
        grownBytes / 1048576.0);
    assertThat(grownBytes).as("growth of the heap").isLessThan(GROWTH_MAX_BYTES);
    assertThat(answers.keySet()).as("some are done").contains(200, 400);
    assertThat(operations.get()).isPositive();
    // A put needs a turn of several threads; each may wait as long as an idle one did.
    assertThat(longestNanos.get())
        .as("the longest put")
        .isLessThan(DELAY_MAX.toNanos() + TURNS * stalledNanos.get());
    theClusterWorks();
  }

  /** What is reachable. */
  private static long heapBytes() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  /** A predicate is applied and its violation found, whatever the requests have left behind. */
  private void theClusterWorks() throws IOException {
    assertThat(parts.palinode("snapshot", "schedule", "--off")).as(parts.err()).isZero();
    Path file = folder.resolve("after.yaml");
    Files.writeString(file, BODIES.get(0).replace("fuzz", "after").replace("a\"", "after\""));
    await()
        .atMost(RealParts.BOUND)
        .untilAsserted(
            () ->
                assertThat(parts.palinode("apply", "-f", file.toString()))
                    .as(parts.err())
                    .isZero());
    try (StoreClient client = parts.client("after")) {
      client.store(RealParts.STORE).put("after", "1");
      client.store(RealParts.STORE).put("b", "1");
    }
    await()
        .atMost(RealParts.BOUND)
        .until(
            () ->
                parts.plane().orchestrator().violations(1_000).stream()
                    .anyMatch(found -> found.violation().getPredicate().equals("after")));
  }

  private void work(AtomicBoolean ended, AtomicLong longestNanos, AtomicLong operations) {
    try (StoreClient client = parts.client("canary")) {
      while (!ended.get()) {
        long startNanos = System.nanoTime();
        try {
          client.store(RealParts.STORE).put("canary", Long.toString(startNanos));
        } catch (RolledBackException asked) {
          // Some requests are valid.
        }
        operations.incrementAndGet();
        longestNanos.accumulateAndGet(System.nanoTime() - startNanos, Math::max);
      }
    }
  }

  /** How long this machine let a thread wait that only sleeps. */
  private static void idle(AtomicBoolean ended, AtomicLong stalledNanos) {
    while (!ended.get()) {
      long startNanos = System.nanoTime();
      LockSupport.parkNanos(1_000_000);
      stalledNanos.accumulateAndGet(System.nanoTime() - startNanos, Math::max);
    }
  }

  private static void requireProblem(int number, Answer answer) throws IOException {
    String what =
        "seed %d request %d: %s: %s".formatted(SEED, number, answer.asked(), answer.body());
    assertThat(answer.statusCode()).as(what).isNotEqualTo(500);
    boolean hasBody = !answer.asked().startsWith("HEAD ");
    if (answer.statusCode() >= 400
        && hasBody
        && answer.type().startsWith("application/problem+json")) {
      JsonNode problem = JSON.readTree(answer.body());
      assertThat(problem.path("code").asText()).as(what).isNotEmpty();
      assertThat(problem.path("detail").asText()).as(what).isNotEmpty();
      assertThat(answer.body().length()).as(what).isLessThan(10_000);
    } else if (answer.statusCode() >= 400 && hasBody) {
      // Jetty answers to what is no URL.
      assertThat(answer.statusCode()).as(what).isEqualTo(400);
    }
  }

  private Answer send(String route) throws IOException, InterruptedException {
    String[] words = route.split(" ", 2);
    String path = words[1];
    while (path.contains("{")) {
      path = path.replaceFirst("\\{\\w+}", pick(IDS));
    }
    if (random.nextInt(4) == 0) {
      String name =
          pick(List.of("limit", "before", "since", "predicate", "grade", "to", "asIs", "x"));
      path += "?" + name + "=" + pick(VALUES);
    }
    String method = random.nextInt(20) == 0 ? pick(METHODS) : words[0];
    // Jetty answers to what is no URL without reading the body: the client may lose the answer.
    boolean isUrl = !path.contains("%00");
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(parts.plane().apiUrl() + path))
            .timeout(ANSWER_MAX)
            .method(method, HttpRequest.BodyPublishers.ofByteArray(isUrl ? body() : new byte[0]));
    if (random.nextBoolean()) {
      request.header(
          "Content-Type",
          pick(List.of("application/yaml", "application/json", "application/xml", "text/plain")));
    }
    if (random.nextInt(5) == 0) {
      request.header("If-Match", pick(List.of("*", "\"1\"", "\"99\"", "x", "\"\"")));
      request.header("Idempotency-Key", pick(List.of("k", "\"k\"", "k".repeat(65), "a b", "é")));
    }
    if (random.nextInt(5) == 0) {
      String name =
          pick(
              List.of(
                  "Origin", "Accept", "Last-Event-ID", "Range", "Authorization", "Cookie", "X-Y"));
      request.header(
          name, pick(List.of("x", "null", "bytes=0-", "Bearer x", "*/*", "z".repeat(4_000))));
    }
    HttpRequest asked = request.build();
    HttpResponse<InputStream> answer;
    try {
      answer = http.send(asked, HttpResponse.BodyHandlers.ofInputStream());
    } catch (IOException e) {
      throw new IOException("no answer to %s %s".formatted(asked, asked.headers().map()), e);
    }
    try (InputStream body = answer.body()) {
      String type = answer.headers().firstValue("Content-Type").orElse("");
      String text =
          type.startsWith("text/event-stream") ? "" : new String(body.readAllBytes(), UTF_8);
      return new Answer(method + " " + path, answer.statusCode(), type, text);
    }
  }

  private byte[] body() {
    if (random.nextInt(4) == 0) {
      return new byte[0];
    }
    StringBuilder text = new StringBuilder(pick(BODIES));
    for (int i = random.nextInt(3); i > 0; i--) {
      int at = random.nextInt(text.length());
      int end = Math.min(text.length(), at + random.nextInt(20));
      text.replace(at, end, random.nextInt(4) == 0 ? "" : pick(PIECES));
      if (text.isEmpty()) {
        return new byte[0];
      }
    }
    byte[] bytes = text.toString().getBytes(UTF_8);
    if (random.nextInt(4) == 0) {
      bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
    }
    return bytes;
  }

  private <T> T pick(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private static List<String> routes() throws IOException {
    List<String> routes = new ArrayList<>();
    try (InputStream text = RestServer.class.getResourceAsStream("openapi.yaml")) {
      JsonNode paths = new ObjectMapper(new YAMLFactory()).readTree(text).path("paths");
      paths
          .properties()
          .forEach(
              path ->
                  path.getValue()
                      .fieldNames()
                      .forEachRemaining(
                          method -> {
                            if (!method.equals("parameters")) {
                              routes.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey());
                            }
                          }));
    }
    return routes;
  }
}
