package io.palinode.orchestrator.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import io.palinode.detection.witness.PortableWitness;
import io.palinode.detection.witness.WitnessJson;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Detecting;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.Opened;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.Watching;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Predicates and their violations over the API. */
class PredicateRoutesTest extends RestFixture {
  private static final String YAML =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: p}
      spec:
        violation:
          - all: [{var: "x", equals: "1"}, {var: "y", equals: "1"}]
      """;

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
  void aCheckExplainsNamesMistakesAndAppliesNothing() throws Exception {
    String path = "/api/v1/predicates/check";
    String twice = YAML.replace("]\n", ", {var: \"x\", equals: \"1\"}]\n");
    JsonNode check = ok(send("POST", path, twice));
    JsonNode one = check.get("predicates").get(0);
    assertThat(one.get("name").asText()).isEqualTo("p");
    assertThat(one.get("version").isNull()).isTrue();
    assertThat(one.get("topics").findValuesAsText("name")).contains("violation", "cost");
    assertThat(check.get("findings").findValuesAsText("name")).contains("repeated-term");
    assertThat(check.get("findings").get(0).get("place").asText()).startsWith("request:6:");
    assertThat(get("/api/v1/predicates")).isEmpty();

    put("/api/v1/predicates/p", YAML);
    assertThat(ok(send("POST", path, YAML)).get("predicates").get(0).get("unchanged").asBoolean())
        .isTrue();
    JsonNode changed = ok(send("POST", path, twice)).get("predicates").get(0);
    assertThat(changed.get("unchanged").asBoolean()).isFalse();
    assertThat(changed.get("version").asLong()).isOne();
    assertThat(send("POST", path, YAML.replace("equals", "equal")).statusCode()).isEqualTo(400);
  }

  @Test
  void aStoreThatNoNodeHasIsAWarningOfTheCheckAndOfTheAppliedPredicate() throws Exception {
    String cart = YAML.replace("{var: \"y\"", "{store: cart, var: \"y\"");
    assertThat(put("/api/v1/predicates/p", cart).get("warnings")).as("not known").isEmpty();
    backend.stores = Set.of("carts", "orders");
    String warning =
        "no node has the store 'cart' of its terms, which find nothing; the nodes have 'carts',"
            + " 'orders'; apply it with the right name, or create the store; did you mean"
            + " 'carts'?";
    JsonNode check = ok(send("POST", "/api/v1/predicates/check", cart)).get("predicates").get(0);
    assertThat(check.get("warnings")).hasSize(1);
    assertThat(check.get("warnings").get(0).asText()).isEqualTo(warning);
    JsonNode applied = put("/api/v1/predicates/p", cart);
    assertThat(applied.get("warnings").get(0).asText()).isEqualTo(warning);
    assertThat(get("/api/v1/predicates/p").get("warnings")).isEqualTo(applied.get("warnings"));
    assertThat(put("/api/v1/predicates/p", cart.replace("cart", "carts")).get("warnings"))
        .isEmpty();
  }

  @Test
  void aChangeThatNamesAnotherVersionIsRefused() throws Exception {
    String path = "/api/v1/predicates/p";
    assertThat(etag(send("PUT", path, YAML))).isEqualTo("\"1\"");
    assertThat(etag(send("GET", path, ""))).isEqualTo("\"1\"");
    assertThat(etag(send("PUT", path, YAML, "If-Match", "\"1\""))).isEqualTo("\"2\"");
    for (String method : List.of("PUT", "DELETE")) {
      HttpResponse<String> stale = send(method, path, YAML, "If-Match", "\"1\"");
      assertThat(stale.statusCode()).as(method).isEqualTo(412);
      assertThat(stale.body()).contains("\"code\":\"version-changed\"");
      assertThat(error(stale)).contains("its ETag is \"2\"").contains("If-Match is \"1\"");
    }
    assertThat(get(path).get("version").asLong()).isEqualTo(2);
    assertThat(send("PUT", path, YAML, "If-Match", "W/\"2\"").statusCode()).isEqualTo(412);
    assertThat(send("PUT", path, YAML, "If-Match", "\"1\", \"2\"").statusCode()).isEqualTo(200);
    assertThat(send("PUT", path, YAML, "If-Match", "*").statusCode()).isEqualTo(200);
    assertThat(send("DELETE", path, "", "If-Match", "\"4\"").statusCode()).isEqualTo(204);
  }

  @Test
  void aPredicateThatIsNotInForceMatchesNoVersion() throws Exception {
    String path = "/api/v1/predicates/p";
    assertThat(send("PUT", path, YAML, "If-Match", "*").statusCode()).isEqualTo(412);
    assertThat(send("DELETE", path, "", "If-Match", "*").statusCode()).isEqualTo(404);
    assertThat(get("/api/v1/predicates")).isEmpty();
  }

  private static String etag(HttpResponse<String> answer) {
    return answer.headers().firstValue("ETag").orElse("");
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
    assertThat(violation.get("meaning").asText())
        .isEqualTo(
            "definite: term 0 on node 0 began at 1970-01-01T00:00:00.000500Z.7, and it alone makes"
                + " the clause true");
    assertThat(violation.get("latencyMs").asDouble()).isEqualTo(1.5);
    assertThat(violation.get("outcome").asText()).isEqualTo("rollback");
    JsonNode witness = violation.get("witnesses").get(0);
    assertThat(witness.get("start").get(1).asText()).isEqualTo("20");
    assertThat(witness.get("end").isNull()).isTrue();
    assertThat(witness.get("values").get(0).get("key").asText()).isEqualTo("cs_1");
    assertThat(witness.get("values").get(0).get("value").asText()).isEqualTo("base64:/w==");
    assertThat(witness.get("values").get(0).get("version").asText()).isEqualTo("0a1b");
  }

  @Test
  void aViolationIsFoundByItsId() throws Exception {
    assertThat(get("/api/v1/violations/v1").get("violate").asText()).isEqualTo("500.7");
    HttpResponse<String> none = send("GET", "/api/v1/violations/v2", "");
    assertThat(none.statusCode()).isEqualTo(404);
    assertThat(error(none)).contains("'v2'");
    assertThat(send("GET", "/api/v1/violations/v2/witness", "").statusCode()).isEqualTo(404);
    assertThat(send("GET", "/api/v1/violations/v2/neighbourhood", "").statusCode()).isEqualTo(404);
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
    assertThat(witness.finding().meaning())
        .isEqualTo(get("/api/v1/violations/v1").get("meaning").asText());
  }

  @Test
  void aShivizLogHasTheWitnessesOrIsRefusedAsTheWitnessIs() throws Exception {
    assertThat(send("GET", "/api/v1/violations/v2/shiviz", "").statusCode()).isEqualTo(404);
    assertThat(send("GET", "/api/v1/violations/v1/shiviz", "").statusCode()).isEqualTo(409);
    backend.witnessText = YAML;
    HttpResponse<String> log = send("GET", "/api/v1/violations/v1/shiviz", "");
    assertThat(log.headers().firstValue("Content-Type")).hasValue("text/plain;charset=utf-8");
    assertThat(log.body()).startsWith("(?<event>").contains("cs_1 = base64:/w==");
  }

  @Test
  void aShivizLogMayHaveTheIntervalsAround() throws Exception {
    backend.witnessText = YAML;
    backend.candidates = List.of(opened(8, "1"), opened(9, "2").toBuilder().setEpoch(7).build());
    String path = "/api/v1/violations/v1/shiviz";
    assertThat(send("GET", path + "?around=false", "").body()).doesNotContain("nearby");
    HttpResponse<String> log = send("GET", path + "?around=true", "");
    assertThat(log.body())
        .contains("term 0 holds, open to the end: cs_1 = base64:/w==")
        .contains("writes cs_1 = 1… (9,000 bytes)\nann - {\"ann\":1}\n")
        .contains("nearby: term 1 holds, open to the end: cs_1 = 1… (9,000 bytes)\nnode0 ")
        .doesNotContain("cs_1 = 2");
    assertThat(log.headers().firstValue("X-Complete")).hasValue("true");
    HttpResponse<String> unclear = send("GET", path + "?around=yes", "");
    assertThat(unclear.statusCode()).isEqualTo(400);
    assertThat(error(unclear)).contains("around must be true or false: around=yes");
  }

  private static CandidateRecord opened(long sequence, String value) {
    VariableVersion version =
        VariableVersion.newBuilder()
            .setKey(ByteString.copyFromUtf8("cs_1"))
            .setValue(ByteString.copyFromUtf8(value))
            .setValueBytes(9_000)
            .build();
    return CandidateRecord.newBuilder()
        .setSequence(sequence)
        .setOpened(
            Opened.newBuilder()
                .setInterval(
                    IntervalRef.newBuilder().setPredicate("p").setPredicateVersion(3).setTerm(1))
                .setStart(CandidateRecords.encode(Hvc.of(0, Hlc.of(501, 0), Hlc.ofMicros(20))))
                .setWriter("ann")
                .addValues(version))
        .build();
  }

  private JsonNode put(String path, String body) throws IOException, InterruptedException {
    return ok(send("PUT", path, body));
  }
}
