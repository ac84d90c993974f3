package io.palinode.orchestrator.rest;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.Command;
import io.palinode.orchestrator.health.Wait;
import io.palinode.orchestrator.history.ChangeLog;
import io.palinode.orchestrator.rest.events.EventStreams;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.Witness;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The stream of events, as a client receives it. */
// In a thread of their own: a read of an answer ignores interrupts.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EventStreamsTest extends RestFixture {
  private static final String PATH = "/api/v1/events";
  private static final Duration BOUND = Duration.ofSeconds(30);

  @Test
  void aViolationArrivesWhenItIsFoundAndWhenItsOutcomeChanges() throws Exception {
    try (Client client = new Client(null)) {
      assertThat(client.next().data().get("missed").asBoolean()).isFalse();
      Violation violation = violation("v7");
      backend.history.received(violation, 2_000, false);
      backend.history.classified(violation, Command.Outcome.ROLLBACK);
      backend.history.classified(violation, Command.Outcome.ROLLBACK);
      backend.history.phantom("v7");
      JsonNode found = client.next("violation");
      assertThat(found.get("id").asText()).isEqualTo("v7");
      assertThat(found.get("outcome").isNull()).isTrue();
      assertThat(client.next("violation").get("outcome").asText()).isEqualTo("rollback");
      assertThat(client.next("violation").get("phantom").asBoolean()).isTrue();
    }
  }

  @Test
  void aRollbackArrives() throws Exception {
    try (Client client = new Client(null)) {
      assertThat(client.next().type()).isEqualTo("start");
      backend.history.shown(backend.rollbacks(1).get(0));
      backend.history.shown(backend.rollbacks(1).get(0));
      assertThat(client.next("rollback").get("state").asText()).isEqualTo("halted");
      backend.history.received(violation("after"), 2_000, false);
      assertThat(client.next("violation").get("id").asText()).isEqualTo("after");
    }
  }

  @Test
  void aWaitArrivesWhenItBeginsAndWhenItEnds() throws Exception {
    try (Client client = new Client(null)) {
      assertThat(client.next().type()).isEqualTo("start");
      backend.waits = List.of(new Wait(Wait.Reason.NODE, 1, 5, "node 1 is silent", "start it"));
      JsonNode began = client.next("wait-began");
      assertThat(began.get("reason").asText()).isEqualTo("node");
      assertThat(began.get("node").asInt()).isEqualTo(1);
      backend.waits = List.of(new Wait(Wait.Reason.NODE, 1, 9, "node 1 is behind", "start it"));
      backend.waits = List.of();
      assertThat(client.next("wait-ended").get("reason").asText()).isEqualTo("node");
    }
  }

  @Test
  void aNodeArrivesWhenItsStateChanges() throws Exception {
    try (Client client = new Client(null)) {
      assertThat(client.next().type()).isEqualTo("start");
      // The states are known once a wait has arrived.
      backend.waits = List.of(new Wait(Wait.Reason.JOB, null, 5, "the job", "start it"));
      assertThat(client.next("wait-began").get("reason").asText()).isEqualTo("job");
      backend.waits = List.of(new Wait(Wait.Reason.NODE, 0, 5, "node 0 is silent", "start it"));
      assertThat(client.next("wait-ended").get("reason").asText()).isEqualTo("job");
      assertThat(client.next("wait-began").get("reason").asText()).isEqualTo("node");
      JsonNode node = client.next("node");
      assertThat(node.get("node").asInt()).isZero();
      assertThat(node.get("state").asText()).isEqualTo("stands still");
      assertThat(node.get("why").asText()).isEqualTo("is silent; start it");
    }
  }

  @Test
  void theSafePointArrivesWhenItMovesAndHasNoId() throws Exception {
    try (Client client = new Client(null)) {
      assertThat(client.next().type()).isEqualTo("start");
      backend.safePoint = Hlc.ofMicros(91);
      Received moved = client.next();
      assertThat(moved.type()).isEqualTo("safe-point");
      assertThat(moved.data().get("safePoint").asText()).isEqualTo("91");
      assertThat(moved.data().get("judged").asText()).isEqualTo("95");
      assertThat(moved.id()).isEmpty();
    }
  }

  @Test
  void aClientThatReconnectsMissesNothingAndReceivesNothingTwice() throws Exception {
    List<String> received = new ArrayList<>();
    String lastId = null;
    for (int connection = 0; connection < 4; connection++) {
      int first = connection * 100;
      try (Client client = new Client(lastId)) {
        Received start = client.next();
        assertThat(start.type()).isEqualTo("start");
        assertThat(start.data().get("missed").asBoolean()).isFalse();
        publish(first, first + 60);
        for (int i = 0; i < (connection == 0 ? 50 : 100); i++) {
          Received event = client.next();
          received.add(event.data().get("id").asText());
          lastId = event.id();
        }
      }
      publish(first + 60, first + 100);
    }
    assertThat(received).isEqualTo(IntStream.range(0, 350).mapToObj(i -> "v" + i).toList());
  }

  @Test
  void anUnknownOrDroppedEventIsNoPlaceToContinueFrom() throws Exception {
    String id;
    try (Client client = new Client("of-an-earlier-run.7")) {
      Received start = client.next();
      assertThat(start.data().get("missed").asBoolean()).isTrue();
      id = start.id();
      backend.history.received(violation("v1"), 2_000, false);
      assertThat(client.next("violation").get("id").asText()).isEqualTo("v1");
    }
    publish(0, ChangeLog.KEPT_MAX);
    try (Client client = new Client(id)) {
      assertThat(client.next().data().get("missed").asBoolean()).isTrue();
    }
  }

  @Test
  void aStreamWithoutChangesStaysOpen() throws Exception {
    try (Client client = new Client(null)) {
      assertThat(client.next().type()).isEqualTo("start");
      // Twice: for longer than the server waits for a client that is silent.
      assertThat(client.line()).isEqualTo(": heartbeat");
      assertThat(client.line()).isEmpty();
      assertThat(client.line()).isEqualTo(": heartbeat");
      backend.history.received(violation("late"), 2_000, false);
      assertThat(client.next("violation").get("id").asText()).isEqualTo("late");
    }
  }

  @Test
  void clientsAreLimitedAndThoseThatDoNotReadAreClosed() throws Exception {
    List<Socket> silent = new ArrayList<>();
    try {
      for (int i = 0; i < EventStreams.CLIENTS_MAX; i++) {
        silent.add(connectToReadTheStatusOnly());
      }
      HttpResponse<String> refused = send("GET", PATH, "");
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(refused.body()).contains("\"code\":\"too-many-clients\"");
      // More than the buffers between the server and its clients hold.
      for (int i = 0; i < 1_000; i++) {
        backend.history.received(largeViolation("v" + i), 2_000, false);
      }
      assertThat(send("GET", "/healthz", "").statusCode()).isEqualTo(200);
      await().atMost(BOUND).until(() -> status() == 200);
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }

  @Test
  void noStreamOpensOnceALogIsGone() throws Exception {
    backend.failure = "a log is gone";
    HttpResponse<String> refused = send("GET", PATH, "");
    assertThat(refused.statusCode()).isEqualTo(503);
    assertThat(refused.body()).contains("\"code\":\"not-ready\"");
  }

  private void publish(int from, int to) {
    for (int i = from; i < to; i++) {
      backend.history.received(violation("v" + i), 2_000, false);
    }
  }

  private static Violation violation(String id) {
    return Violation.newBuilder().setId(id).setPredicate("p").build();
  }

  private static Violation largeViolation(String id) {
    VariableVersion value =
        VariableVersion.newBuilder()
            .setKey(ByteString.copyFromUtf8("k"))
            .setValue(ByteString.copyFromUtf8("x".repeat(60_000)))
            .build();
    return violation(id).toBuilder().addWitnesses(Witness.newBuilder().addValues(value)).build();
  }

  private Socket connectToReadTheStatusOnly() throws IOException {
    URI url = URI.create(server.url());
    Socket socket = new Socket(url.getHost(), url.getPort());
    String head = "GET " + PATH + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    socket.getOutputStream().write(head.getBytes(US_ASCII));
    String status = "HTTP/1.1 200";
    assertThat(new String(socket.getInputStream().readNBytes(status.length()), US_ASCII))
        .isEqualTo(status);
    return socket;
  }

  @Test
  void theThreadsOfStreamsEndWithTheServerAlsoIfTheirClientsAreGone() throws Exception {
    for (int i = 0; i < EventStreams.CLIENTS_MAX; i++) {
      try (Client client = new Client(null)) {
        assertThat(client.next().type()).isEqualTo("start");
      }
    }
    server.close();
    await()
        .atMost(BOUND)
        .until(
            () ->
                Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().equals(EventStreams.THREAD)));
  }

  private int status() throws IOException, InterruptedException {
    HttpResponse<InputStream> answer =
        HttpClient.newHttpClient().send(request(null), HttpResponse.BodyHandlers.ofInputStream());
    answer.body().close();
    return answer.statusCode();
  }

  private HttpRequest request(@Nullable String lastId) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.url() + PATH));
    return (lastId == null ? request : request.header("Last-Event-ID", lastId)).build();
  }

  private record Received(String id, String type, JsonNode data) {}

  /** Reads events one after another. */
  private final class Client implements AutoCloseable {
    private final Stream<String> answer;
    private final Iterator<String> lines;

    Client(@Nullable String lastId) throws IOException, InterruptedException {
      HttpResponse<Stream<String>> response =
          HttpClient.newHttpClient().send(request(lastId), HttpResponse.BodyHandlers.ofLines());
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.headers().firstValue("Content-Type").orElse(""))
          .startsWith("text/event-stream");
      answer = response.body();
      lines = answer.iterator();
    }

    String line() {
      return lines.next();
    }

    Received next() throws IOException {
      String id = line();
      while (!id.startsWith("id: ") && !id.startsWith("event: ")) {
        id = line();
      }
      boolean hasId = id.startsWith("id: ");
      String type = (hasId ? line() : id).substring("event: ".length());
      JsonNode data = new ObjectMapper().readTree(line().substring("data: ".length()));
      assertThat(line()).isEmpty();
      return new Received(hasId ? id.substring("id: ".length()) : "", type, data);
    }

    JsonNode next(String type) throws IOException {
      Received event = next();
      while (event.type().equals("node") && !type.equals("node")) {
        // Waits of nodes change their states too.
        event = next();
      }
      assertThat(event.type()).isEqualTo(type);
      return event.data();
    }

    @Override
    public void close() {
      answer.close();
    }
  }
}
