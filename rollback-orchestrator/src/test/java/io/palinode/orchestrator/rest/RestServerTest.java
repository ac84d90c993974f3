package io.palinode.orchestrator.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import io.palinode.detection.witness.PortableWitness;
import io.palinode.detection.witness.WitnessJson;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.orchestrator.Command;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.orchestrator.RollbackMachine;
import io.palinode.orchestrator.Status;
import io.palinode.orchestrator.health.Judgement;
import io.palinode.orchestrator.health.NodeStatus;
import io.palinode.orchestrator.health.Wait;
import io.palinode.orchestrator.history.ApiHistory;
import io.palinode.orchestrator.history.Discarded;
import io.palinode.orchestrator.history.Evidence;
import io.palinode.orchestrator.history.RollbackProgress;
import io.palinode.orchestrator.history.WatchedVersions;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.plan.ServingNodes;
import io.palinode.orchestrator.policy.AppliedPredicate;
import io.palinode.orchestrator.policy.RollbackSettings;
import io.palinode.orchestrator.request.Effect;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.request.PlannedRollback;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.request.RollbackRequest;
import io.palinode.orchestrator.snapshot.Schedule;
import io.palinode.orchestrator.snapshot.Snapshot;
import io.palinode.orchestrator.snapshot.SnapshotMachine;
import io.palinode.orchestrator.snapshot.SnapshotRequest;
import io.palinode.orchestrator.snapshot.SnapshotSettings;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.step.GateStatus;
import io.palinode.orchestrator.step.Unjudged;
import io.palinode.predicate.form.Predicates;
import io.palinode.predicate.text.PredicateException;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Detecting;
import io.palinode.wire.v1.EffectReported;
import io.palinode.wire.v1.Halted;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.SnapshotStep;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import io.palinode.wire.v1.Watching;
import io.palinode.wire.v1.Witness;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The API over a backend that is a map. */
class RestServerTest {
  private static final String WHY_ALL = "node 1 has no access log";
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String YAML =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: p}
      spec:
        violation:
          - all: [{var: "x", equals: "1"}, {var: "y", equals: "1"}]
      """;

  private final FakeBackend backend = new FakeBackend();
  private RestServer server;

  @BeforeEach
  void start() {
    server = new RestServer(RestSettings.DEFAULT, backend);
    server.start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

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
  void aPredicateIsAppliedReadAndDeleted() throws Exception {
    assertThat(put("/api/v1/predicates/p", YAML).get("version").asLong()).isEqualTo(1);
    assertThat(get("/api/v1/predicates").get(0).get("name").asText()).isEqualTo("p");
    assertThat(get("/api/v1/predicates/p").get("yaml").asText()).contains("name: p");
    assertThat(send("DELETE", "/api/v1/predicates/p", "").statusCode()).isEqualTo(204);
    assertThat(send("GET", "/api/v1/predicates/p", "").statusCode()).isEqualTo(404);
    assertThat(send("DELETE", "/api/v1/predicates/p", "").statusCode()).isEqualTo(404);
  }

  @Test
  void theVersionsOfNodesAndSubtasksAreShown() throws Exception {
    put("/api/v1/predicates/p", YAML);
    assertThat(get("/api/v1/predicates/p").get("converged").asBoolean()).isFalse();
    assertThat(get("/api/v1/predicates/p").get("jobVersion").isNull()).isTrue();
    backend.watched.read(
        Detecting.newBuilder().setPredicate("p").setVersion(1).setSubtasks(1).build());
    for (int node = 0; node < 2; node++) {
      assertThat(get("/api/v1/predicates/p").get("converged").asBoolean()).isFalse();
      backend.watched.read(
          ControlRecord.newBuilder()
              .setWatching(Watching.newBuilder().setNode(node).setPredicate("p").setVersion(1))
              .build());
    }
    JsonNode predicate = get("/api/v1/predicates").get(0);
    assertThat(predicate.get("converged").asBoolean()).isTrue();
    assertThat(predicate.get("jobVersion").asLong()).isEqualTo(1);
    assertThat(predicate.get("nodeVersions").toString()).isEqualTo("{\"0\":1,\"1\":1}");
  }

  @Test
  void aDocumentMayHoldSeveralPredicates() throws Exception {
    String two = YAML + "---\n" + YAML.replace("name: p", "name: q");
    assertThat(put("/api/v1/predicates", two)).hasSize(2);
  }

  @Test
  void thePapersXmlIsNamedByThePath() throws Exception {
    String xml =
        "<predicate><type>semilinear</type><conjClause><id>0</id>"
            + "<var><name>x2</name><value>1</value></var>"
            + "<var><name>y2</name><value>1</value></var></conjClause></predicate>";
    assertThat(put("/api/v1/predicates/fig3", xml).get("name").asText()).isEqualTo("fig3");
  }

  @Test
  void aSnapshotIsRequestedShownCancelledAndDeleted() throws Exception {
    HttpResponse<String> answer =
        send("POST", "/api/v1/snapshots", "{\"name\": \"one\", \"at\": \"12.7\", \"atOnce\": 1}");
    assertThat(answer.statusCode()).isEqualTo(202);
    JsonNode one = get("/api/v1/snapshots/one");
    assertThat(one.get("state").asText()).isEqualTo("taking");
    assertThat(one.get("kind").asText()).isEqualTo("retrospective");
    assertThat(one.get("at").asText()).isEqualTo("12.7");
    assertThat(one.get("nodes")).hasSize(2);
    assertThat(send("DELETE", "/api/v1/snapshots/one", "").statusCode()).isEqualTo(409);
    assertThat(send("POST", "/api/v1/snapshots/one/cancel", "").statusCode()).isEqualTo(202);
    assertThat(get("/api/v1/snapshots").get(0).get("state").asText()).isEqualTo("cancelled");
    assertThat(send("DELETE", "/api/v1/snapshots/one", "").statusCode()).isEqualTo(204);
    answer = send("GET", "/api/v1/snapshots/one", "");
    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(error(answer)).isEqualTo("there is no snapshot 'one'");
  }

  @Test
  void aScheduleIsSetShownAndSwitchedOff() throws Exception {
    String schedule = "/api/v1/snapshot-schedule";
    assertThat(get(schedule).get("everySeconds").isNull()).isTrue();
    String wanted = "{\"everySeconds\": 600, \"keep\": 6, \"onViolation\": true}";
    assertThat(send("PUT", schedule, wanted).statusCode()).isEqualTo(202);
    assertThat(get(schedule).get("everySeconds").asLong()).isEqualTo(600);
    assertThat(get(schedule).get("keep").asInt()).isEqualTo(6);
    HttpResponse<String> answer = send("PUT", schedule, "{\"everySeconds\": 600, \"keep\": 0}");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(error(answer)).isEqualTo("the number of kept snapshots must be in [1, 100]: keep=0");
    assertThat(send("DELETE", schedule, "").statusCode()).isEqualTo(204);
    assertThat(get(schedule).get("onViolation").asBoolean()).isFalse();
  }

  @Test
  void anInvalidSnapshotRequestIsRefusedInOneSentence() throws Exception {
    for (Map.Entry<String, String> bad :
        Map.of(
                "{\"name\": \"../x\"}", "the name of a snapshot",
                "{\"at\": \"soon\"}", "-30s",
                "{\"nam\": \"x\"}", "'nam'",
                "[", "JSON",
                "null", "JSON object",
                "{\"rolling\": true}", "base",
                "{\"atOnce\": -1}", "at once")
            .entrySet()) {
      HttpResponse<String> answer = send("POST", "/api/v1/snapshots", bad.getKey());
      assertThat(answer.statusCode()).as(bad.getKey()).isEqualTo(400);
      assertThat(error(answer)).contains(bad.getValue());
    }
    HttpResponse<String> answer = send("POST", "/api/v1/snapshots", "{\"base\": \"none\"}");
    assertThat(answer.statusCode()).isEqualTo(409);
    assertThat(error(answer)).contains("'none'");
  }

  @Test
  void aBadDocumentIsRefusedInOneSentence() throws Exception {
    HttpResponse<String> answer = send("PUT", "/api/v1/predicates/p", "spec: [");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(error(answer)).startsWith("p:1:");
  }

  @Test
  void aDocumentForAnotherNameIsRefusedAndNotApplied() throws Exception {
    HttpResponse<String> answer = send("PUT", "/api/v1/predicates/q", YAML);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(error(answer)).contains("'q'").contains("'p'");
    assertThat(get("/api/v1/predicates")).isEmpty();
  }

  @Test
  void aRequestThatCannotBeWrittenNowIsUnavailable() throws Exception {
    backend.unavailable = true;
    HttpResponse<String> answer = send("PUT", "/api/v1/predicates/p", YAML);
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(error(answer)).isEqualTo("Kafka is away");
  }

  @Test
  void violationsAreShownWithTheirWitnesses() throws Exception {
    JsonNode violation = get("/api/v1/violations?limit=1").get(0);
    assertThat(violation.get("id").asText()).isEqualTo("v1");
    assertThat(violation.get("grade").asText()).isEqualTo("definite");
    assertThat(violation.get("violate").asText()).isEqualTo("500.7");
    assertThat(violation.get("latencyMs").asDouble()).isEqualTo(1.5);
    assertThat(violation.get("outcome").asText()).isEqualTo("rollback");
    JsonNode witness = violation.get("witnesses").get(0);
    assertThat(witness.get("start").get(1).asText()).isEqualTo("20");
    assertThat(witness.get("end").isNull()).isTrue();
    assertThat(witness.get("values").get(0).get("key").asText()).isEqualTo("cs_1");
    assertThat(witness.get("values").get(0).get("value").asText()).isEqualTo("base64:/w==");
  }

  @Test
  void aViolationIsFoundByItsId() throws Exception {
    assertThat(get("/api/v1/violations/v1").get("violate").asText()).isEqualTo("500.7");
    HttpResponse<String> none = send("GET", "/api/v1/violations/v2", "");
    assertThat(none.statusCode()).isEqualTo(404);
    assertThat(error(none)).contains("'v2'");
    assertThat(send("GET", "/api/v1/violations/v2/witness", "").statusCode()).isEqualTo(404);
  }

  @Test
  void aWitnessCarriesTheTextOfTheVersionThatFoundItOrIsRefused() throws Exception {
    HttpResponse<String> refused = send("GET", "/api/v1/violations/v1/witness", "");
    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(error(refused)).contains("'p' version 3").contains("no longer known");
    backend.witnessText = YAML;
    HttpResponse<String> answer = send("GET", "/api/v1/violations/v1/witness", "");
    PortableWitness witness = WitnessJson.read(answer.body(), "answer");
    assertThat(witness.subject().yaml()).isEqualTo(YAML);
    assertThat(witness.subject().version()).isEqualTo(3);
    assertThat(witness.rules().epsilon()).hasToString("10ms");
  }

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
  void whileSomethingCannotBeWrittenItIsNotHealthy() throws Exception {
    backend.trouble = "the control log has not taken RESTORE";
    HttpResponse<String> answer = send("GET", "/healthz", "");
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(error(answer)).isEqualTo("the control log has not taken RESTORE");
    assertThat(get("/api/v1/status").get("trouble").asText()).startsWith("the control log");
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
    assertThat(plan.get("whyAll").asText()).isEqualTo(WHY_ALL);
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
    assertThat(get("/api/v1/nodes").get(0).get("reach").asText()).isEqualTo("7");
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
  void anUnknownEffectIsShownWithItsReason() throws Exception {
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

  @Test
  void aPortThatIsTakenIsNamed() {
    int port = URI.create(server.url()).getPort();
    try (RestServer second = new RestServer(new RestSettings("127.0.0.1", port), backend)) {
      assertThatThrownBy(second::start)
          .isInstanceOf(ListenException.class)
          .hasMessageContaining("127.0.0.1:" + port);
    }
  }

  private JsonNode get(String path) throws IOException, InterruptedException {
    return ok(send("GET", path, ""));
  }

  private JsonNode put(String path, String body) throws IOException, InterruptedException {
    return ok(send("PUT", path, body));
  }

  private static JsonNode ok(HttpResponse<String> answer) throws IOException {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body());
  }

  private static String error(HttpResponse<String> answer) throws IOException {
    return JSON.readTree(answer.body()).get("error").asText();
  }

  private HttpResponse<String> send(String method, String path, String body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server.url() + path))
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
  }

  private JsonNode post(String path, String body) throws Exception {
    return new ObjectMapper().readTree(send("POST", path, body).body());
  }

  private static final class FakeBackend implements Backend {
    private static final long NOW_MICROS = 2_000_000_000_000_000L;
    private final SnapshotMachine machine = new SnapshotMachine(SnapshotSettings.of(2));
    private final Map<String, AppliedPredicate> predicates = new TreeMap<>();
    private final WatchedVersions watched = new WatchedVersions(2);
    private volatile boolean unavailable;
    private volatile long acknowledged;
    private volatile ServingNodes serving = ServingNodes.NONE;
    private volatile @Nullable String renewed;
    private volatile @Nullable RollbackRequest wished;
    private volatile @Nullable String witnessText;
    private volatile @Nullable String trouble;
    private volatile @Nullable String failure;
    private volatile List<Wait> waits = List.of();

    @Override
    public List<AppliedPredicate> predicates() {
      return List.copyOf(predicates.values());
    }

    @Override
    public @Nullable AppliedPredicate predicate(String name) {
      return predicates.get(name);
    }

    @Override
    public WatchedVersions watched() {
      return watched;
    }

    @Override
    public List<AppliedPredicate> apply(String document, String source) {
      if (unavailable) {
        throw new UnavailableException("Kafka is away");
      }
      List<AppliedPredicate> applied =
          Predicates.parseAll(document, source).stream()
              .map(p -> new AppliedPredicate(p.name(), 1, Predicates.toYaml(p)))
              .toList();
      applied.forEach(p -> predicates.put(p.name(), p));
      return applied;
    }

    @Override
    public AppliedPredicate applyOne(String document, String name) {
      String found = Predicates.parse(document, name).name();
      if (!found.equals(name)) {
        throw new PredicateException("not for '%s': '%s'".formatted(name, found));
      }
      return apply(document, name).get(0);
    }

    @Override
    public boolean delete(String name) {
      return predicates.remove(name) != null;
    }

    @Override
    public @Nullable RollbackProgress progress(long epoch) {
      ApiHistory memory = new ApiHistory(2);
      rollbackRecords().forEach(memory::took);
      return memory.progress(epoch);
    }

    @Override
    public @Nullable Discarded discarded(long epoch) {
      return null;
    }

    @Override
    public PlannedRollback plan(RollbackRequest wish) throws RefusedException {
      wished = wish;
      if (wish.undoes() > 0) {
        throw new RefusedException("rollback %d cannot be undone".formatted(wish.undoes()));
      }
      EffectReported reported =
          EffectReported.newBuilder()
              .setReach(Hlc.ofMicros(5))
              .setWrites(7)
              .setFirstWrites(3)
              .setFirstKeys(2)
              .addClients("alice")
              .setClientsTotal(1)
              .build();
      Effect effect =
          new Effect(
              wish.target(), Hlc.ofMicros(900), List.of(reported), List.of(), 150_000, WHY_ALL);
      return PlannedRollback.of("abc", wish, effect);
    }

    @Override
    public PlannedRollback plannedNow(String id) throws RefusedException {
      PlannedRollback planned = planned(id);
      return planned.again(planned.effect());
    }

    @Override
    public PlannedRollback planned(String id) throws RefusedException {
      if (!id.equals("abc")) {
        throw new RefusedException("no plan '%s' is known".formatted(id));
      }
      return plan(RollbackRequest.to("r", Hlc.ofMicros(800)));
    }

    @Override
    public Rollback rollBack(RollbackRequest wish) {
      wished = wish;
      return rollbacks(1).get(0);
    }

    @Override
    public void cancelRollback(long epoch) throws RefusedException {
      throw new RefusedException("rollback %d is past its commit point".formatted(epoch));
    }

    private static List<ControlRecord> rollbackRecords() {
      PlanOpened opened =
          PlanOpened.newBuilder()
              .setTarget(Hlc.of(499, 7))
              .setRequest("r")
              .setReason("by hand")
              .build();
      Paused paused = Paused.newBuilder().setNode(1).setReach(Hlc.ofMicros(5)).build();
      return List.of(
          ControlRecord.newBuilder().setEpoch(1).setAtMicros(1_000).setPlanOpened(opened).build(),
          ControlRecord.newBuilder().setEpoch(1).setAtMicros(3_500).setPaused(paused).build());
    }

    @Override
    public List<ReceivedViolation> violations(int limit) {
      VariableVersion value =
          VariableVersion.newBuilder()
              .setKey(ByteString.copyFromUtf8("cs_1"))
              .setValue(ByteString.copyFrom(new byte[] {(byte) 0xff}))
              .build();
      Witness witness =
          Witness.newBuilder()
              .setStart(CandidateRecords.encode(Hvc.of(0, Hlc.ofMicros(10), Hlc.ofMicros(20))))
              .addValues(value)
              .build();
      Violation violation =
          Violation.newBuilder()
              .setId("v1")
              .setPredicate("p")
              .setPredicateVersion(3)
              .setEpsilon("10ms")
              .setGrade(ViolationGrade.DEFINITE)
              .setViolate(Hlc.of(500, 7))
              .addWitnesses(witness)
              .build();
      return List.of(
          new ReceivedViolation(violation, 2_000, false, Command.Outcome.ROLLBACK, true));
    }

    @Override
    public @Nullable ReceivedViolation violation(String id) {
      return id.equals("v1") ? violations(1).get(0) : null;
    }

    @Override
    public @Nullable PortableWitness witness(String id) throws RefusedException {
      ReceivedViolation known = violation(id);
      return known == null ? null : Evidence.of(known.violation(), witnessText);
    }

    @Override
    public List<Rollback> rollbacks(int limit) {
      ControlRecord opened =
          ControlRecord.newBuilder()
              .setEpoch(1)
              .setAtMicros(1_000)
              .setPlanOpened(PlanOpened.newBuilder().setPredicate("p"))
              .build();
      ControlRecord halted =
          ControlRecord.newBuilder()
              .setEpoch(1)
              .setAtMicros(3_000)
              .setHalted(Halted.newBuilder().setReason("out of reach"))
              .build();
      return List.of(Rollback.opened(opened).after(halted));
    }

    @Override
    public @Nullable Rollback rollback(long epoch) {
      return epoch == 1 ? rollbacks(1).get(0) : null;
    }

    @Override
    public void intervene(long epoch, Intervention intervention) throws RefusedException {
      RollbackMachine.requirePossible(
          MachineState.initial(RollbackSettings.of(1)), epoch, intervention);
    }

    @Override
    public void endAsIs(long epoch, Set<Integer> stopped) throws RefusedException {
      throw new RefusedException("rollback %d as it is, without %s".formatted(epoch, stopped));
    }

    @Override
    public List<NodeStatus> nodes() {
      return List.of(new NodeStatus(0, 1, 1, Hlc.ofMicros(7), "paused", 5));
    }

    @Override
    public List<Unjudged> unjudged() {
      return List.of(new Unjudged(0, Hlc.ofMicros(70), "detection met its limits"));
    }

    @Override
    public void answerRequest(long number, boolean approve) throws RefusedException {
      throw new RefusedException("no rollback %d waits for approval".formatted(number));
    }

    @Override
    public void renewBudget(String predicate) throws RefusedException {
      renewed = predicate;
    }

    @Override
    public Status status() {
      return new Status(
          3,
          null,
          null,
          null,
          null,
          serving,
          Hlc.ofMicros(90),
          10,
          Hlc.ofMicros(95),
          5,
          null,
          0,
          0,
          1,
          1,
          1,
          1,
          2,
          2,
          List.of(),
          GateStatus.OPEN,
          trouble,
          failure);
    }

    @Override
    public Judgement judgement() {
      return new Judgement(waits, true, 0, NOW_MICROS, NOW_MICROS);
    }

    @Override
    public List<Snapshot> snapshots() {
      return machine.all();
    }

    @Override
    public @Nullable Snapshot snapshot(String id) {
      return machine.get(id);
    }

    @Override
    public @Nullable Snapshot roll(String id) {
      return machine.roll(id);
    }

    @Override
    public Snapshot takeSnapshot(SnapshotRequest request) throws RefusedException {
      SnapshotStep step = machine.request(request, NOW_MICROS);
      machine.read(step, NOW_MICROS, NOW_MICROS);
      return Objects.requireNonNull(machine.get(step.getOpened().getSnapshot().getId()));
    }

    @Override
    public void cancelSnapshot(String id) throws RefusedException {
      machine.read(machine.cancel(id), NOW_MICROS, NOW_MICROS);
    }

    @Override
    public Schedule snapshotSchedule() {
      return machine.schedule();
    }

    @Override
    public void scheduleSnapshots(Schedule wanted) {
      var unused = machine.read(machine.schedule(wanted), NOW_MICROS, NOW_MICROS);
    }

    @Override
    public void deleteSnapshot(String id) throws RefusedException {
      machine.read(machine.delete(id), NOW_MICROS, NOW_MICROS);
    }

    @Override
    public void acknowledgeCoverage(long toNumber) {
      acknowledged = toNumber;
    }

    @Override
    public @Nullable String scrape() {
      return null;
    }
  }
}
