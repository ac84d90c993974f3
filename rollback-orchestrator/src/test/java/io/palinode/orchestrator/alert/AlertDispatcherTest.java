package io.palinode.orchestrator.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.palinode.orchestrator.Alert;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Alerts against a real console and a real HTTP server. */
class AlertDispatcherTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final AlertSettings FAST =
      new AlertSettings(
          List.of("console"),
          new WebhookRules(List.of("127.0.0.1")),
          10,
          new AlertSettings.Posts(3, Duration.ofMillis(5), Duration.ofMillis(500)),
          null);

  private final List<String> console = new CopyOnWriteArrayList<>();
  private final List<JsonNode> posts = new CopyOnWriteArrayList<>();
  private final List<String> signatures = new CopyOnWriteArrayList<>();
  private final Deque<Integer> statuses = new ArrayDeque<>();
  private final CountDownLatch release = new CountDownLatch(1);
  private HttpServer server;
  private AlertDispatcher dispatcher;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/hook", this::answer);
    server.createContext("/slow", this::answerLate);
    server.start();
    dispatcher = new AlertDispatcher(FAST, console::add, () -> "http://127.0.0.1:1");
    dispatcher.start();
  }

  @AfterEach
  void stop() {
    release.countDown();
    dispatcher.close();
    server.stop(0);
  }

  @Test
  void theConsoleGetsOneLineAnAlert() {
    dispatcher.raise(alert("a=1,b=2", "console"));
    await().until(() -> console.size() == 1);
    assertThat(console.get(0))
        .isEqualTo(
            "alert=violation binding=a=1,b=2 clause=0 epoch=3 grade=possible predicate=mutex"
                + " id=v1 summary=\"predicate mutex was violated\"");
    assertThat(dispatcher.consoleCounts().sent()).isEqualTo(1);
  }

  @Test
  void textFromTheStoreCannotSteerTheTerminal() {
    dispatcher.raise(alert("a=\u001b[31m \"x\"\nalert=forged", "console"));
    await().until(() -> console.size() == 1);
    assertThat(console.get(0)).contains("binding=\"a=?[31m \\\"x\\\"?alert=forged\"");
  }

  @Test
  void aWebhookReceivesTheJsonOfAlertmanager() {
    dispatcher.raise(alert("a=1", "webhook:" + url("/hook")));
    await().until(() -> posts.size() == 1);
    JsonNode payload = posts.get(0);
    assertThat(payload.get("version").asText()).isEqualTo("4");
    assertThat(payload.get("status").asText()).isEqualTo("firing");
    assertThat(payload.get("receiver").asText()).isEqualTo("palinode");
    assertThat(payload.get("externalURL").asText()).isEqualTo("http://127.0.0.1:1");
    assertThat(payload.get("commonLabels").get("predicate").asText()).isEqualTo("mutex");
    JsonNode alert = payload.get("alerts").get(0);
    assertThat(alert.get("status").asText()).isEqualTo("firing");
    assertThat(alert.get("labels").get("alertname").asText()).isEqualTo("PalinodeViolation");
    assertThat(alert.get("labels").get("binding").asText()).isEqualTo("a=1");
    assertThat(alert.get("labels").get("grade").asText()).isEqualTo("possible");
    assertThat(alert.get("labels").get("clause").asText()).isEqualTo("0");
    assertThat(alert.get("labels").get("epoch").asText()).isEqualTo("3");
    assertThat(alert.get("annotations").get("id").asText()).isEqualTo("v1");
    assertThat(alert.get("startsAt").asText()).isEqualTo("1970-01-01T00:00:01.500Z");
    assertThat(alert.get("fingerprint").asText()).matches("[0-9a-f]{16}");
  }

  @Test
  void aWebhookThatIsDownForAMomentIsAskedAgain() {
    synchronized (statuses) {
      statuses.addAll(List.of(503, 429));
    }
    dispatcher.raise(alert("a=1", "webhook:" + url("/hook")));
    await().until(() -> dispatcher.webhookCounts().sent() == 1);
    assertThat(posts).hasSize(3);
    assertThat(dispatcher.webhookCounts().failed()).isZero();
  }

  @Test
  void aWebhookThatRefusesIsNotAskedAgain() {
    synchronized (statuses) {
      statuses.add(400);
    }
    dispatcher.raise(alert("a=1", "webhook:" + url("/hook")));
    await().until(() -> dispatcher.webhookCounts().failed() == 1);
    assertThat(posts).hasSize(1);
  }

  @Test
  void aWebhookWithoutAServerFailsAfterTheLastAttempt() {
    server.stop(0);
    dispatcher.raise(alert("a=1", "webhook:" + url("/hook")));
    await().until(() -> dispatcher.webhookCounts().failed() == 1);
  }

  @Test
  void aSlowWebhookDelaysNoOtherAlertAndItsQueueIsBounded() {
    for (int i = 0; i < 200; i++) {
      dispatcher.raise(alert("i=" + i, "webhook:" + url("/slow")));
    }
    dispatcher.raise(alert("a=1", "webhook:" + url("/hook")));
    dispatcher.raise(alert("a=1", "console"));
    await().until(() -> posts.size() == 1 && console.size() == 1);
    assertThat(dispatcher.webhookCounts().dropped()).isGreaterThanOrEqualTo(100);
  }

  @Test
  void aConsoleThatThrowsIsCountedAndLaterAlertsStillCome() {
    try (AlertDispatcher thrower =
        new AlertDispatcher(
            FAST,
            line -> {
              throw new IllegalStateException("pipe closed");
            },
            () -> "")) {
      thrower.start();
      thrower.raise(alert("a=1", "console"));
      await().until(() -> thrower.consoleCounts().failed() == 1);
      thrower.raise(alert("a=2", "console"));
      await().until(() -> thrower.consoleCounts().failed() == 2);
    }
  }

  @Test
  void afterCloseAlertsAreDropped() {
    dispatcher.close();
    dispatcher.raise(alert("a=1", "console"));
    assertThat(dispatcher.consoleCounts().dropped()).isEqualTo(1);
  }

  @Test
  void operatorsDestinationsAreChecked() {
    assertThatThrownBy(() -> FAST.withOperators(List.of("webhook:ftp://x")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'webhook:ftp://x'");
  }

  @Test
  void operatorsDestinationsHaveTheLimitsOfAPredicates() {
    List<String> nine = IntStream.range(0, 9).mapToObj(i -> "webhook:http://h/" + i).toList();
    assertThatThrownBy(() -> FAST.withOperators(nine))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the orchestrator must have at most 8 alerts: alerts=9");
    assertThatThrownBy(() -> FAST.withOperators(List.of("console", "console")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("named twice");
  }

  @Test
  void webhooksOfPredicatesDoNotTakeTheOperatorsPlace() {
    try (AlertDispatcher operators = operators("webhook:" + url("/hook"))) {
      for (int i = 0; i < AlertDispatcher.WEBHOOKS_MAX; i++) {
        operators.raise(alert("i=" + i, "webhook:" + url("/slow") + i));
      }
      operators.raise(Alert.toOperator(Alert.Kind.PLAN_HALTED, Map.of(), "halted", 1));
      await().until(() -> posts.size() == 1);
      assertThat(operators.webhookCounts().dropped()).isEqualTo(1);
    }
  }

  @Test
  void aWebhookOfAPredicateReachesNoPrivateAddress() {
    String hook = "webhook:" + url("/hook");
    AlertSettings strict = FAST.withWebhooks(WebhookRules.PUBLIC);
    try (AlertDispatcher guarded = new AlertDispatcher(strict, console::add, () -> "")) {
      guarded.start();
      guarded.raise(alert("a=1", hook));
      await().until(() -> guarded.webhookCounts().failed() == 1);
    }
    try (AlertDispatcher operators =
        new AlertDispatcher(strict.withOperators(List.of(hook)), console::add, () -> "")) {
      operators.start();
      operators.raise(alert("a=1", hook));
      await().until(() -> operators.webhookCounts().sent() == 1);
    }
    assertThat(posts).hasSize(1);
  }

  @Test
  void aBodyIsSignedWithTheSecret() {
    try (AlertDispatcher signing =
        new AlertDispatcher(FAST.withSecret("secret"), console::add, () -> "")) {
      signing.start();
      signing.raise(alert("a=1", "webhook:" + url("/hook")));
      await().until(() -> signatures.size() == 1);
      assertThat(signatures.get(0)).matches("t=[0-9]{10},v1=[0-9a-f]{64}");
    }
    dispatcher.raise(alert("a=1", "webhook:" + url("/hook")));
    await().until(() -> signatures.size() == 2);
    assertThat(signatures.get(1)).isEmpty();
  }

  @Test
  void aTestReturnsTheAnswerOfEachDestination() {
    synchronized (statuses) {
      statuses.add(404);
    }
    try (AlertDispatcher operators =
        operators("console", "webhook:" + url("/hook"), "webhook:http://127.0.0.1:1/secret")) {
      assertThat(operators.test(1))
          .containsExactly(
              new TestedDestination("console", true, "see the output of the orchestrator"),
              new TestedDestination("webhook:127.0.0.1", false, "HTTP status 404"),
              new TestedDestination("webhook:127.0.0.1", false, "no answer: ConnectException"));
      assertThat(operators.test(1).get(1).delivered()).isTrue();
      assertThat(operators.webhookCounts().failed()).isEqualTo(3);
      assertThat(operators.webhookCounts().sent()).isEqualTo(1);
      assertThat(posts.get(0).get("commonLabels").get("alertname").asText())
          .isEqualTo("PalinodeTest");
      await().until(() -> console.size() == 2);
    }
  }

  private AlertDispatcher operators(String... destinations) {
    AlertDispatcher operators =
        new AlertDispatcher(
            FAST.withOperators(List.of(destinations)), console::add, () -> "http://127.0.0.1:1");
    operators.start();
    return operators;
  }

  private String url(String path) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + path;
  }

  private void answer(HttpExchange exchange) throws IOException {
    posts.add(JSON.readTree(exchange.getRequestBody()));
    String signature = exchange.getRequestHeaders().getFirst(Signature.HEADER);
    signatures.add(signature == null ? "" : signature);
    Integer status;
    synchronized (statuses) {
      status = statuses.poll();
    }
    exchange.sendResponseHeaders(status == null ? 200 : status, -1);
    exchange.close();
  }

  private void answerLate(HttpExchange exchange) {
    // The server has one thread: it is the other context that must not wait for this.
    new Thread(
            () -> {
              try {
                release.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              exchange.close();
            },
            "slow-answer")
        .start();
  }

  private static Alert alert(String binding, String destination) {
    return new Alert(
        Alert.Kind.VIOLATION,
        Map.of(
            "predicate", "mutex",
            "binding", binding,
            "grade", "possible",
            "clause", "0",
            "epoch", "3"),
        Map.of("id", "v1", "summary", "predicate mutex was violated"),
        List.of(destination),
        1_500_000);
  }
}
