package io.palinode.orchestrator.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.palinode.orchestrator.Status;
import io.palinode.orchestrator.health.Wait;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Errors, health and status of the API. */
class RestServerTest extends RestFixture {
  @Test
  void anOperatorAnswersRequestsAndRenewsBudgets() throws Exception {
    assertThat(send("POST", "/api/v1/budgets/p/renew", "").statusCode()).isEqualTo(202);
    assertThat(backend.renewed).isEqualTo("p");
    assertThat(send("POST", "/api/v1/approvals/3/approve", "").statusCode()).isEqualTo(409);
    assertThat(send("POST", "/api/v1/approvals/x/reject", "").statusCode()).isEqualTo(409);
    assertThat(get("/api/v1/status").get("approvals").isEmpty()).isTrue();
    assertThat(get("/api/v1/status").get("sequential").get("keys").asLong()).isZero();
  }

  @Test
  void whileSomethingCannotBeWrittenItIsNotHealthy() throws Exception {
    backend.trouble = "the control log has not taken RESTORE";
    HttpResponse<String> answer = send("GET", "/healthz", "");
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(error(answer)).isEqualTo("the control log has not taken RESTORE");
    assertThat(get("/api/v1/status").get("trouble").asText()).startsWith("the control log");
  }

  @Test
  void aLimitOutsideItsBoundsIsRefused() throws Exception {
    for (String limit : List.of("0", "10001", "many")) {
      HttpResponse<String> answer = send("GET", "/api/v1/violations?limit=" + limit, "");
      assertThat(answer.statusCode()).isEqualTo(400);
      assertThat(error(answer)).contains("limit=" + limit);
    }
  }

  @Test
  void everyErrorIsAnObjectWithItsReason() throws Exception {
    HttpResponse<String> absent = send("GET", "/api/v2", "");
    assertThat(absent.statusCode()).isEqualTo(404);
    assertThat(error(absent)).contains("/api/v2");
    HttpResponse<String> wrongMethod = send("DELETE", "/api/v1/status", "");
    assertThat(wrongMethod.statusCode()).isEqualTo(405);
    assertThat(error(wrongMethod)).contains("DELETE");
    HttpResponse<String> noMetrics = send("GET", "/metrics", "");
    assertThat(noMetrics.statusCode()).isEqualTo(404);
  }

  @Test
  void anUnjudgedSpanIsShownWithItsReason() throws Exception {
    JsonNode unknown = get("/api/v1/status").get("unknown").get(0);
    assertThat(unknown.get("from").isNull()).isTrue();
    assertThat(unknown.get("to").asText()).isEqualTo("70");
    assertThat(unknown.get("reason").asText()).isEqualTo("detection met its limits");
  }

  @Test
  void healthFollowsTheStatus() throws Exception {
    assertThat(send("GET", "/healthz", "").statusCode()).isEqualTo(200);
    backend.failure = "a log is gone";
    HttpResponse<String> answer = send("GET", "/healthz", "");
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(error(answer)).isEqualTo("a log is gone");
  }

  @Test
  void aProbeByHeadHasTheStatusOfTheProbe() throws Exception {
    assertThat(send("HEAD", "/readyz", "").statusCode()).isEqualTo(200);
    backend.failure = "a log is gone";
    assertThat(send("HEAD", "/healthz", "").statusCode()).isEqualTo(503);
    assertThat(send("HEAD", "/readyz", "").statusCode()).isEqualTo(503);
    assertThat(send("HEAD", "/livez", "").statusCode()).isEqualTo(200);
  }

  @Test
  void aProcessThatCannotAppendIsAliveAndNotReady() throws Exception {
    assertThat(get("/livez").get("status").asText()).isEqualTo("up");
    assertThat(get("/readyz").get("status").asText()).isEqualTo("ready");
    backend.trouble = "Kafka has not answered for 9 s";
    assertNotReady("Kafka has not answered for 9 s");
    backend.failure = Status.REPLAYING;
    assertNotReady(Status.REPLAYING);
  }

  /** An empty list would look like an answer. */
  @Test
  void noListIsServedBeforeTheLogsAreRead() throws Exception {
    backend.failure = Status.REPLAYING;
    for (String path : List.of("violations", "rollbacks", "predicates", "nodes", "doctor")) {
      HttpResponse<String> answer = send("GET", "/api/v1/" + path, "");
      assertThat(answer.statusCode()).as(path).isEqualTo(503);
      assertThat(error(answer)).isEqualTo(Status.REPLAYING);
    }
    assertThat(get("/api/v1/status").get("failure").asText()).isEqualTo(Status.REPLAYING);
    backend.failure = "a log is gone";
    assertThat(send("GET", "/api/v1/violations", "").statusCode())
        .as("all is known")
        .isEqualTo(200);
  }

  @Test
  void aProcessIsReadyWhileJudgementWaits() throws Exception {
    long seconds = FakeBackend.NOW_MICROS - 6_000_000;
    backend.waits =
        List.of(new Wait(Wait.Reason.JOB, null, seconds, "the job publishes nothing", "start it"));
    assertThat(send("GET", "/healthz", "").statusCode()).isEqualTo(503);
    assertThat(send("GET", "/readyz", "").statusCode()).isEqualTo(200);
  }

  private void assertNotReady(String reason) throws Exception {
    HttpResponse<String> answer = send("GET", "/readyz", "");
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(error(answer)).isEqualTo(reason);
    assertThat(answer.body()).contains("\"code\":\"not-ready\"");
    assertThat(send("GET", "/livez", "").statusCode()).isEqualTo(200);
  }

  @Test
  void theStatusNamesTheWaitOfJudgementAndHealthEndsOnlyWithoutJudgement() throws Exception {
    long seconds = FakeBackend.NOW_MICROS - 6_000_000;
    backend.waits =
        List.of(new Wait(Wait.Reason.NODE, 1, seconds, "node 1 publishes nothing", "start it"));
    JsonNode wait = get("/api/v1/status").get("waits").get(0);
    assertThat(wait.get("reason").asText()).isEqualTo("node");
    assertThat(wait.get("node").asInt()).isEqualTo(1);
    assertThat(wait.get("forMs").asDouble()).isEqualTo(6_000);
    assertThat(wait.get("standsStill").asBoolean()).isTrue();
    assertThat(wait.get("what").asText()).isEqualTo("node 1 publishes nothing");
    assertThat(wait.get("wayOut").asText()).isEqualTo("start it");
    assertThat(get("/healthz").get("waits")).hasSize(1);

    backend.waits =
        List.of(new Wait(Wait.Reason.JOB, null, seconds, "the job publishes nothing", "start it"));
    HttpResponse<String> answer = send("GET", "/healthz", "");
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(error(answer)).isEqualTo("the job publishes nothing; start it");
  }

  @Test
  void coverageIsAcknowledged() throws Exception {
    assertThat(send("POST", "/api/v1/coverage/acknowledge", "").statusCode()).isEqualTo(200);
    assertThat(backend.acknowledged).isEqualTo(Long.MAX_VALUE);
    assertThat(send("POST", "/api/v1/coverage/acknowledge?to=7", "").statusCode()).isEqualTo(200);
    assertThat(backend.acknowledged).isEqualTo(7);
    assertThat(error(send("POST", "/api/v1/coverage/acknowledge?to=x", "")))
        .isEqualTo("to must be the number of a coverage gap: to=x");
  }

  @Test
  void aTestOfAlertsReturnsTheAnswerOfEachDestination() throws Exception {
    JsonNode tested = ok(send("POST", "/api/v1/alerts/test", ""));
    assertThat(tested).hasSize(2);
    assertThat(tested.get(1).get("destination").asText()).isEqualTo("webhook:h");
    assertThat(tested.get(1).get("delivered").asBoolean()).isFalse();
    assertThat(tested.get(1).get("answer").asText()).isEqualTo("HTTP status 404");
  }

  @Test
  void aPortThatIsTakenIsNamed() {
    int port = URI.create(server.url()).getPort();
    try (RestServer second = new RestServer(RestSettings.DEFAULT.withPort(port), backend)) {
      assertThatThrownBy(second::start)
          .isInstanceOf(ListenException.class)
          .hasMessageContaining("127.0.0.1:" + port);
    }
  }
}
