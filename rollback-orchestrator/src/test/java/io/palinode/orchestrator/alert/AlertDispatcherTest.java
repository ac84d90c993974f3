package io.palinode.orchestrator.alert;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.palinode.orchestrator.Alert;
import io.palinode.orchestrator.history.ViolationAlert;
import io.palinode.wire.KafkaSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Alerts against a real console and a real HTTP server. */
class AlertDispatcherTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TYPE = "Content-Type";
  private static final long START = 1_500_000;
  private static final AlertSettings FAST =
      new AlertSettings(
          List.of("console"),
          new WebhookRules(List.of("127.0.0.1")),
          10,
          new AlertSettings.Posts(3, Duration.ofMillis(5), Duration.ofSeconds(5)),
          null,
          null);

  private static final KafkaSettings NO_KAFKA = KafkaSettings.of("127.0.0.1:1");

  private final List<String> console = new CopyOnWriteArrayList<>();
  private final List<JsonNode> posts = new CopyOnWriteArrayList<>();
  private final List<String> signatures = new CopyOnWriteArrayList<>();
  private final Deque<Integer> statuses = new ArrayDeque<>();
  private final List<String> paths = new CopyOnWriteArrayList<>();
  private final AtomicLong now = new AtomicLong(START);
  private final CountDownLatch release = new CountDownLatch(1);
  private HttpServer server;
  private AlertDispatcher dispatcher;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/hook", this::answer);
    server.createContext("/slow", this::answerLate);
    server.start();
    dispatcher = dispatcher(FAST);
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
            "alert=violation at=1970-01-01T00:00:01.500Z binding=a=1,b=2 clause=0 epoch=3"
                + " grade=possible predicate=mutex id=v1 summary=\"predicate mutex was violated\"");
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
  void linksBeginWithTheAddressThatOperatorsUse() {
    String ops = "https://ops.example";
    try (AlertDispatcher external = dispatcher(FAST.withExternalUrl(ops))) {
      external.start();
      external.raise(
          alert("a=1", "webhook:" + url("/hook")).labelled(ViolationAlert.EPISODE, "v1"));
      await().until(() -> posts.size() == 1);
    }
    assertThat(posts.get(0).get("externalURL").asText()).isEqualTo(ops);
    assertThat(posts.get(0).at("/alerts/0/generatorURL").asText())
        .isEqualTo(ops + "/#/violations/v1");
  }

  @Test
  void aWebhookThatIsDownForAMomentIsAskedAgain() {
    synchronized (statuses) {
      statuses.addAll(List.of(503, 429));
    }
    dispatcher.raise(alert("a=1", "webhook:" + url("/hook")));
    await().until(() -> dispatcher.counts(Format.WEBHOOK).sent() == 1);
    assertThat(posts).hasSize(3);
    assertThat(dispatcher.counts(Format.WEBHOOK).failed()).isZero();
    assertThat(dispatcher.counts(Format.WEBHOOK).retried()).isEqualTo(2);
  }

  @Test
  void aWebhookThatRefusesIsNotAskedAgain() {
    synchronized (statuses) {
      statuses.add(400);
    }
    dispatcher.raise(alert("a=1", "webhook:" + url("/hook")));
    await().until(() -> dispatcher.counts(Format.WEBHOOK).failed() == 1);
    assertThat(posts).hasSize(1);
  }

  @Test
  void aWebhookWithoutAServerFailsAfterTheLastAttempt() {
    server.stop(0);
    dispatcher.raise(alert("a=1", "webhook:" + url("/hook")));
    await().until(() -> dispatcher.counts(Format.WEBHOOK).failed() == 1);
  }

  @Test
  void aSlowWebhookDelaysNoOtherAlertAndItsQueueIsBounded() {
    for (int i = 0; i < 200; i++) {
      dispatcher.raise(alert("i=" + i, "webhook:" + url("/slow")));
    }
    dispatcher.raise(alert("a=1", "webhook:" + url("/hook")));
    dispatcher.raise(alert("a=1", "console"));
    await().until(() -> posts.size() == 1 && console.size() == 1);
    assertThat(dispatcher.counts(Format.WEBHOOK).dropped()).isGreaterThanOrEqualTo(100);
  }

  @Test
  void aConsoleThatThrowsIsCountedAndLaterAlertsStillCome() {
    try (AlertDispatcher thrower =
        new AlertDispatcher(
            FAST,
            NO_KAFKA,
            line -> {
              throw new IllegalStateException("pipe closed");
            },
            () -> "",
            now::get)) {
      thrower.start();
      thrower.raise(alert("a=1", "console"));
      await().until(() -> thrower.consoleCounts().failed() == 1);
      thrower.raise(alert("a=2", "console"));
      await().until(() -> thrower.consoleCounts().failed() == 2);
    }
  }

  @Test
  void anAlertmanagerReceivesAnAlertUntilItEndsAndThenItsEnd() {
    AtomicLong end = new AtomicLong();
    Alert alert = alert("a=1", "alertmanager:" + url("/hook"));
    dispatcher.raise(alert);
    await().until(() -> posts.size() == 1);
    assertThat(paths.get(0)).isEqualTo("/hook/api/v2/alerts application/json");
    JsonNode first = posts.get(0).get(0);
    assertThat(first.get("endsAt").asText()).as("expires").isEqualTo("1970-01-01T00:04:01.500Z");

    now.addAndGet(OpenAlerts.REPEAT_MICROS);
    dispatcher.look(causes(end));
    await().until(() -> posts.size() == 2);
    assertThat(posts.get(1).get(0).get("labels")).isEqualTo(first.get("labels"));
    assertThat(posts.get(1).get(0).get("startsAt")).isEqualTo(first.get("startsAt"));
    assertThat(posts.get(1).get(0).get("endsAt").asText()).isEqualTo("1970-01-01T00:05:01.500Z");

    end.set(now.get() - 1);
    dispatcher.look(causes(end));
    await().until(() -> posts.size() == 3);
    assertThat(posts.get(2).get(0).get("endsAt").asText()).isEqualTo("1970-01-01T00:01:01.499999Z");
    assertThat(dispatcher.counts(Format.ALERTMANAGER).sent()).isEqualTo(3);
  }

  @Test
  void allOtherDestinationsReceiveAnAlertAndItsEndOnce() {
    AtomicLong end = new AtomicLong();
    String to = url("/hook");
    dispatcher.raise(
        new Alert(
            Alert.Kind.VIOLATION,
            Map.of("predicate", "mutex"),
            Map.of("summary", "predicate mutex was violated"),
            List.of("console", "webhook:" + to, "slack:" + to, "cloudevents:" + to),
            START));
    dispatcher.look(causes(end));
    now.addAndGet(10 * OpenAlerts.REPEAT_MICROS);
    dispatcher.look(causes(end));
    await().until(() -> posts.size() == 3);
    end.set(now.get());
    dispatcher.look(causes(end));
    dispatcher.look(causes(end));
    await().until(() -> posts.size() == 6 && console.size() == 2);
    assertThat(console.get(1))
        .isEqualTo(
            "ended=violation at=1970-01-01T00:10:01.500Z predicate=mutex"
                + " summary=\"predicate mutex was violated\"");
    assertThat(posts)
        .filteredOn(post -> post.path("status").asText().equals("resolved"))
        .hasSize(1);
    assertThat(posts)
        .filteredOn(post -> post.path("type").asText().equals("io.palinode.alert.ended"))
        .hasSize(1);
    assertThat(posts).filteredOn(post -> post.path("text").asText().startsWith("[end")).hasSize(1);
    assertThat(paths).contains("/hook application/cloudevents+json; charset=UTF-8");
  }

  @Test
  void anAlertIsRaisedAgainOnlyAfterItsEnd() {
    AtomicLong end = new AtomicLong();
    Alert alert = alert("a=1", "console");
    dispatcher.raise(alert);
    dispatcher.raiseAgain(alert);
    end.set(now.get() + 1);
    dispatcher.look(causes(end));
    dispatcher.raiseAgain(alert);
    await().until(() -> console.size() == 3);
    assertThat(console)
        .extracting(line -> line.substring(0, 6))
        .containsExactly("alert=", "ended=", "alert=");
  }

  @Test
  void aTestOfOneDestinationKeepsTheRulesOfPredicates() {
    assertThat(dispatcher.test("slack:" + url("/hook"), 1))
        .containsExactly(new TestedDestination("slack:127.0.0.1", true, "HTTP status 200"));
    assertThat(posts.get(0).get("text").asText()).isEqualTo("[alert] PalinodeTest");
    assertThatThrownBy(() -> dispatcher.test("slack:http://10.0.0.1/", 1))
        .hasMessageContaining("--alert-allow only: host=10.0.0.1");
    assertThatThrownBy(() -> dispatcher.test("pager", 1)).hasMessageContaining("'pager'");
    assertThat(posts).hasSize(1);
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
      assertThat(operators.counts(Format.WEBHOOK).dropped()).isEqualTo(1);
    }
  }

  @Test
  void aWebhookThatWasUsedOnceGivesItsPlaceToAnotherOne() {
    for (int i = 0; i < 3 * AlertDispatcher.WEBHOOKS_MAX; i++) {
      dispatcher.raise(alert("i=" + i, "webhook:" + url("/hook") + "?" + i));
      int sent = i + 1;
      await().until(() -> dispatcher.counts(Format.WEBHOOK).sent() == sent);
    }
    assertThat(dispatcher.counts(Format.WEBHOOK).dropped()).isZero();
  }

  @Test
  void anAnswerThatDoesNotEndIsAskedAgainAndFails() throws IOException {
    try (ServerSocket endless = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        AlertDispatcher impatient =
            dispatcher(
                new AlertSettings(
                    List.of("console"),
                    new WebhookRules(List.of("127.0.0.1")),
                    10,
                    new AlertSettings.Posts(2, Duration.ofMillis(5), Duration.ofMillis(500)),
                    null,
                    null))) {
      List<Socket> answered = new CopyOnWriteArrayList<>();
      Thread thread = new Thread(() -> answerWithoutEnd(endless, answered), "endless-answer");
      thread.start();
      impatient.start();
      String hook = "webhook:http://127.0.0.1:" + endless.getLocalPort() + "/";
      impatient.raise(alert("a=1", hook));
      await().until(() -> impatient.counts(Format.WEBHOOK).failed() == 1);
      assertThat(impatient.test(hook, 1).get(0).answer()).isEqualTo("no answer: TimeoutException");
      assertThat(answered).hasSize(3);
    }
  }

  /** Sends the headers, and nothing of the body that they announce. */
  private static void answerWithoutEnd(ServerSocket server, List<Socket> answered) {
    try {
      while (true) {
        Socket client = server.accept();
        answered.add(client);
        client
            .getOutputStream()
            .write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n".getBytes(US_ASCII));
      }
    } catch (IOException closed) {
      // The test has ended.
    }
  }

  @Test
  void aWebhookOfAPredicateReachesNoPrivateAddress() {
    String hook = "webhook:" + url("/hook");
    AlertSettings strict = FAST.withWebhooks(WebhookRules.PUBLIC);
    try (AlertDispatcher guarded = dispatcher(strict)) {
      guarded.start();
      guarded.raise(alert("a=1", hook));
      await().until(() -> guarded.counts(Format.WEBHOOK).failed() == 1);
    }
    try (AlertDispatcher operators = dispatcher(strict.withOperators(List.of(hook)))) {
      operators.start();
      operators.raise(alert("a=1", hook));
      await().until(() -> operators.counts(Format.WEBHOOK).sent() == 1);
    }
    assertThat(posts).hasSize(1);
  }

  @Test
  void aBodyIsSignedWithTheSecret() {
    try (AlertDispatcher signing = dispatcher(FAST.withSecret("secret"))) {
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
      assertThat(operators.test(null, 1))
          .containsExactly(
              new TestedDestination("console", true, "see the output of the orchestrator"),
              new TestedDestination("webhook:127.0.0.1", false, "HTTP status 404"),
              new TestedDestination("webhook:127.0.0.1", false, "no answer: ConnectException"));
      assertThat(operators.test(null, 1).get(1).delivered()).isTrue();
      assertThat(operators.counts(Format.WEBHOOK).failed()).isEqualTo(3);
      assertThat(operators.counts(Format.WEBHOOK).sent()).isEqualTo(1);
      assertThat(posts.get(0).get("commonLabels").get("alertname").asText())
          .isEqualTo("PalinodeTest");
      await().until(() -> console.size() == 2);
    }
  }

  private AlertDispatcher operators(String... destinations) {
    AlertDispatcher operators = dispatcher(FAST.withOperators(List.of(destinations)));
    operators.start();
    return operators;
  }

  private AlertDispatcher dispatcher(AlertSettings settings) {
    return new AlertDispatcher(
        settings, NO_KAFKA, console::add, () -> "http://127.0.0.1:1", now::get);
  }

  private static OpenAlerts.Causes causes(AtomicLong end) {
    return new OpenAlerts.Causes() {
      @Override
      public List<Alert> earlier() {
        return List.of();
      }

      @Override
      public long endMicros(Alert alert, long nowMicros) {
        return end.get();
      }
    };
  }

  private String url(String path) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + path;
  }

  private void answer(HttpExchange exchange) throws IOException {
    paths.add(exchange.getRequestURI() + " " + exchange.getRequestHeaders().getFirst(TYPE));
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
