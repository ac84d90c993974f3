package io.palinode.orchestrator.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.PointInTime;
import io.palinode.orchestrator.plan.ServingNodes;
import io.palinode.orchestrator.request.RollbackRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rollbacks over the API. */
class RollbackRoutesTest extends RestFixture {
  @Test
  void theEffectOfARollbackIsShown() throws Exception {
    JsonNode effect = post("/api/v1/rollbacks/plan", "{\"to\": \"800\"}");
    assertThat(effect.get("target").asText()).isEqualTo("800");
    assertThat(effect.get("beforeSafePoint").asBoolean()).isTrue();
    assertThat(effect.get("writes").asLong()).isEqualTo(3);
    assertThat(effect.get("keys").asLong()).isEqualTo(2);
    assertThat(effect.get("clients").toString()).isEqualTo("[\"alice\"]");
    assertThat(effect.get("expectedPauseMs").asDouble()).isEqualTo(150);
    assertThat(effect.get("nodes").get(0).get("reach").asText()).isEqualTo("5");
  }

  @Test
  void aTimeIsReadAsItIsPrinted() throws Exception {
    String printed = PointInTime.format(Hlc.of(800, 2));
    JsonNode effect = post("/api/v1/rollbacks/plan", "{\"to\": \"%s\"}".formatted(printed));
    assertThat(effect.get("target").asText()).isEqualTo("800.2");
  }

  @Test
  void aRollbackIsRequestedByTimeOrViolationOrAsAReinstate() throws Exception {
    assertThat(post("/api/v1/rollbacks", "{\"to\": \"800.2\"}").get("epoch").asLong()).isEqualTo(1);
    assertThat(backend.wished).extracting(RollbackRequest::target).isEqualTo(Hlc.of(800, 2));
    var unused = post("/api/v1/rollbacks", "{\"violation\": \"v1\", \"request\": \"mine\"}");
    assertThat(backend.wished)
        .isEqualTo(new RollbackRequest("mine", Hlc.of(500, 7) - 1, List.of("v1"), "p", 0));
    unused = post("/api/v1/rollbacks", "{\"undo\": 1}");
    assertThat(backend.wished).extracting(RollbackRequest::undoes).isEqualTo(1L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"key-7", "\"key-7\""})
  void anIdempotencyKeyNamesTheRequest(String key) throws Exception {
    String path = "/api/v1/rollbacks";
    for (String body : List.of("{\"to\": \"800\"}", "{\"compareAll\": true}")) {
      assertThat(send("POST", path, body, "Idempotency-Key", key).statusCode()).isEqualTo(202);
      assertThat(backend.wished).extracting(RollbackRequest::request).isEqualTo("key-7");
    }
    String same = "{\"to\": \"800\", \"request\": \"key-7\"}";
    assertThat(send("POST", path, same, "Idempotency-Key", key).statusCode()).isEqualTo(202);
    HttpResponse<String> two =
        send("POST", path, same.replace("key-7", "mine"), "Idempotency-Key", key);
    assertThat(two.statusCode()).isEqualTo(400);
    assertThat(error(two)).contains("must name one request: 'key-7', 'mine'");
  }

  @Test
  void anIdempotencyKeyThatIsNoNameOfARequestIsRefused() throws Exception {
    HttpResponse<String> answer =
        send("POST", "/api/v1/rollbacks", "{\"to\": \"800\"}", "Idempotency-Key", "a b");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(error(answer)).contains("A-Z, a-z, 0-9");
  }

  @Test
  void aSnapshotIsRestoredWhole() throws Exception {
    var unused = post("/api/v1/rollbacks", "{\"snapshot\": \"before-deploy\"}");
    assertThat(backend.wished).extracting(RollbackRequest::snapshot).isEqualTo("before-deploy");
    assertThat(post("/api/v1/rollbacks", "{\"snapshot\": \"s\", \"scope\": \"all\"}")).isNotNull();
    HttpResponse<String> both =
        send("POST", "/api/v1/rollbacks", "{\"snapshot\": \"s\", \"to\": \"800\"}");
    assertThat(both.statusCode()).isEqualTo(400);
    assertThat(error(both)).contains("one of 'to', 'violation', 'snapshot' and 'undo'");
    for (String more :
        List.of("\"scope\": \"affected\"", "\"keys\": [{\"store\": \"s\", \"key\": \"k\"}]")) {
      HttpResponse<String> refused =
          send("POST", "/api/v1/rollbacks/plan", "{\"snapshot\": \"s\", %s}".formatted(more));
      assertThat(refused.statusCode()).as(more).isEqualTo(400);
      assertThat(error(refused)).contains("snapshot 's' is restored whole");
    }
    HttpResponse<String> longName =
        send("POST", "/api/v1/rollbacks", "{\"snapshot\": \"%s\"}".formatted("s".repeat(64)));
    assertThat(longName.statusCode()).isEqualTo(400);
    assertThat(error(longName)).contains("at most 63 characters: it has 64");
  }

  @Test
  void theEffectOfASnapshotBeyondTheReachHasNoAmounts() throws Exception {
    JsonNode known = post("/api/v1/rollbacks/plan", "{\"snapshot\": \"new\"}");
    assertThat(known.get("snapshot").asText()).isEqualTo("new");
    assertThat(known.get("writes").asLong()).isEqualTo(3);
    assertThat(known.get("unknown").isNull()).isTrue();
    assertThat(known.get("expectedPauseMs").isNull()).isTrue();
    JsonNode unknown = post("/api/v1/rollbacks/plan", "{\"snapshot\": \"old\"}");
    assertThat(unknown.get("unknown").asText()).contains("is out of the reach of node 0");
    for (String amount : List.of("writes", "keys", "bytes", "clientsTotal")) {
      assertThat(unknown.get(amount).isNull()).as(amount).isTrue();
    }
    assertThat(unknown.get("clients")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {65, 1_000_000})
  void aRequestWithALongNameIsRefusedBeforeAnythingIsAsked(int chars) throws Exception {
    String body = "{\"to\": \"800.2\", \"request\": \"%s\"}".formatted("r".repeat(chars));
    for (String path : List.of("/api/v1/rollbacks", "/api/v1/rollbacks/plan")) {
      HttpResponse<String> answer = send("POST", path, body);
      assertThat(answer.statusCode()).isEqualTo(400);
      assertThat(error(answer)).contains("at most 64 characters: it has " + chars);
    }
    assertThat(backend.wished).isNull();
  }

  @Test
  void aRequestWithANameOfOtherCharactersIsRefused() throws Exception {
    HttpResponse<String> answer =
        send("POST", "/api/v1/rollbacks", "{\"to\": \"800.2\", \"request\": \"a b\"}");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(error(answer)).contains("A-Z, a-z, 0-9").endsWith("'a b'");
  }

  @Test
  void keysThatAreTooLongForARecordAreRefused() throws Exception {
    String key = "{\"store\": \"s\", \"key\": \"%s\"}".formatted("k".repeat(70_000));
    HttpResponse<String> answer =
        send(
            "POST",
            "/api/v1/rollbacks",
            "{\"to\": \"800.2\", \"scope\": \"affected\", \"keys\": [%s]}".formatted(key));
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(error(answer)).contains("at most 65536 bytes");
  }

  @Test
  void aRollbackOfSomeWritesIsPlannedAndRunByItsName() throws Exception {
    JsonNode plan =
        post(
            "/api/v1/rollbacks/plan",
            "{\"to\": \"800\", \"scope\": \"affected\", \"keys\": [{\"store\": \"s\", \"key\":"
                + " \"k\"}]}");
    assertThat(Objects.requireNonNull(backend.wished).seeds().keys())
        .extracting(key -> key.getStore() + "/" + key.getKey().toStringUtf8())
        .containsExactly("s/k");
    assertThat(plan.get("plan").asText()).isEqualTo("abc");
    assertThat(plan.get("scope").asText()).isEqualTo("all");
    assertThat(plan.get("whyAll").asText()).isEqualTo(FakeBackend.WHY_ALL);
    assertThat(plan.get("before").isNull()).isTrue();
    JsonNode again = post("/api/v1/rollbacks/plan", "{\"plan\": \"abc\"}");
    assertThat(again.get("before").get("writes").asLong()).isEqualTo(3);
    var unused = post("/api/v1/rollbacks", "{\"plan\": \"abc\"}");
    assertThat(backend.wished).extracting(RollbackRequest::request).isEqualTo("abc");
    assertThat(send("POST", "/api/v1/rollbacks", "{\"plan\": \"b\"}").statusCode()).isEqualTo(409);
  }

  @Test
  void aTimeAloneNamesNoWriteWhoseConsequencesCouldBeUndone() throws Exception {
    HttpResponse<String> refused =
        send("POST", "/api/v1/rollbacks/plan", "{\"to\": \"800\", \"scope\": \"affected\"}");
    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(refused.body()).contains("a time names no write: name a violation instead");
    for (String body :
        List.of(
            "{\"to\": \"800\", \"scope\": \"some\"}",
            "{\"undo\": 1, \"scope\": \"affected\"}",
            "{\"plan\": \"abc\", \"scope\": \"all\"}",
            "{\"to\": \"800\", \"keys\": [{\"store\": \"s\", \"key\": \"k\"}]}",
            "{\"to\": \"800\", \"scope\": \"affected\", \"keys\": [{\"key\": \"k\"}]}")) {
      assertThat(send("POST", "/api/v1/rollbacks/plan", body).statusCode()).as(body).isEqualTo(400);
    }
  }

  @Test
  void aRollbackThatNamesNoTargetOrTwoIsRefused() throws Exception {
    for (String body :
        List.of(
            "{}",
            "{\"to\": \"1\", \"undo\": 1}",
            "{\"at\": 1}",
            "{\"to\": \"soon\"}",
            "{\"violation\": \"v9\"}",
            "[")) {
      assertThat(send("POST", "/api/v1/rollbacks", body).statusCode()).as(body).isEqualTo(400);
    }
    assertThat(send("POST", "/api/v1/rollbacks/plan", "{\"undo\": 1}").statusCode()).isEqualTo(409);
  }

  @Test
  void theDescriptionNamesEveryRouteOfRollbacks() throws Exception {
    String described = send("GET", "/api/v1/openapi.yaml", "").body();
    for (String verb : List.of("", "/discarded", "/cancel", "/retry", "/abandon")) {
      assertThat(described).contains("\n  /api/v1/rollbacks/{id}" + verb + ":\n");
    }
    assertThat(described).contains("\n  /api/v1/rollbacks:\n").contains("/api/v1/rollbacks/plan:");
    assertThat(described).contains("\n  /api/v1/alerts/test:\n");
  }

  @Test
  void oneRollbackIsShownByNodeAndItsCancelMayComeTooLate() throws Exception {
    JsonNode rollback = get("/api/v1/rollbacks/1");
    assertThat(rollback.get("epoch").asLong()).isEqualTo(1);
    assertThat(rollback.get("byHand").asBoolean()).isTrue();
    assertThat(rollback.get("nodes").get(0).get("node").asInt()).isEqualTo(1);
    assertThat(rollback.get("nodes").get(0).get("done").asText()).isEqualTo("paused");
    assertThat(rollback.get("nodes").get(0).get("pausedMs").asDouble()).isEqualTo(2.5);
    assertThat(send("GET", "/api/v1/rollbacks/2", "").statusCode()).isEqualTo(404);
    assertThat(send("POST", "/api/v1/rollbacks/1/cancel", "").statusCode()).isEqualTo(409);
    assertThat(send("POST", "/api/v1/rollbacks/x/cancel", "").statusCode()).isEqualTo(404);
  }

  @Test
  void rollbacksNodesAndStatusAreShown() throws Exception {
    JsonNode rollback = get("/api/v1/rollbacks").get(0);
    assertThat(rollback.get("state").asText()).isEqualTo("halted");
    assertThat(rollback.get("haltReason").asText()).isEqualTo("out of reach");
    assertThat(rollback.get("totalMs").asDouble()).isEqualTo(2.0);
    JsonNode nodes = get("/api/v1/nodes");
    assertThat(nodes.get(0).get("reach").asText()).isEqualTo("7");
    assertThat(nodes.get(0).get("state").asText()).isEqualTo("serves");
    assertThat(nodes.get(1).get("state").asText()).isEqualTo("never joined");
    assertThat(nodes.get(1).get("needsOperator").asBoolean()).isTrue();
    JsonNode status = get("/api/v1/status");
    assertThat(status.get("epoch").asLong()).isEqualTo(3);
    assertThat(status.get("phase").isNull()).isTrue();
    assertThat(status.get("safePoint").asText()).isEqualTo("90");
    assertThat(status.get("safePointLagMs").asDouble()).isEqualTo(0.01);
    backend.serving = new ServingNodes(3, Set.of(0, 1), Set.of(1), 1);
    JsonNode resuming = get("/api/v1/status");
    assertThat(resuming.get("phase").asText()).isEqualTo("resuming");
    assertThat(resuming.get("notServing").toString()).isEqualTo("[0]");
  }

  @Test
  void aRollbackThatIsNotOpenIsNeitherRetriedNorAbandoned() throws Exception {
    for (String verb : List.of("retry", "abandon")) {
      HttpResponse<String> answer = send("POST", "/api/v1/rollbacks/1/" + verb, "");
      assertThat(answer.statusCode()).isEqualTo(409);
      assertThat(error(answer)).isEqualTo("rollback 1 is not open");
      assertThat(send("POST", "/api/v1/rollbacks/2/" + verb, "").statusCode()).isEqualTo(404);
      assertThat(send("POST", "/api/v1/rollbacks/last/" + verb, "").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void aRollbackIsEndedAsItIsWithoutTheNodesThatAreStopped() throws Exception {
    String path = "/api/v1/rollbacks/1/abandon?asIs=true";
    assertThat(error(send("POST", path + "&stopped=2,0", "")))
        .isEqualTo("rollback 1 as it is, without [0, 2]");
    assertThat(error(send("POST", path, ""))).isEqualTo("rollback 1 as it is, without []");
    HttpResponse<String> wrong = send("POST", path + "&stopped=x", "");
    assertThat(wrong.statusCode()).isEqualTo(400);
    assertThat(error(wrong)).contains("node numbers such as 0,2: stopped=x");
  }

  private JsonNode post(String path, String body) throws Exception {
    return new ObjectMapper().readTree(send("POST", path, body).body());
  }
}
