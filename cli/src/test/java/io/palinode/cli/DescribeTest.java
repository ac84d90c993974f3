package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code palinode describe} of a rollback, a node, a snapshot and a predicate. */
class DescribeTest {
  private static final String VIOLATION =
      """
      {"id":"%s","predicate":"p","binding":"%s","grade":"definite","violate":"1795262400500000",
       "outcome":"rollback"}""";
  private static final String ROLLBACK =
      """
      {"epoch":5,"state":"resumed","predicate":"p","violationIds":["0123456789ab","forgotten"],
       "target":"1795262399999999","attempts":1,"undoneWrites":4,"convergedKeys":2,
       "openedMicros":1795262401000000,"endedMicros":1795262401080000,"totalMs":80.0,
       "pauseMs":1.0,"judgementMs":2.0,"restoreMs":3.0,"convergeMs":4.0,"haltReason":null,
       "snapshot":null,"acts":[],"byHand":false,"request":null,"undoes":null,"undoneBy":null,"reason":null,
       "moves":[],"scope":"all","givenUp":null,"keys":null,"clients":null,"before":null,
       "nodes":[]}""";
  private static final String PREDICATE =
      """
      {"name":"p","version":3,"converged":false,"nodeVersions":{"0":3,"1":2},"jobVersion":3,
       "warnings":[],"yaml":"kind: Predicate\\n"}""";

  private static final String SNAPSHOT =
      """
      {"id":"%s","number":3,"state":"complete","kind":"full","at":"1795262400500000",
       "time":"2026-11-21T12:00:00.500Z","base":%s,"atOnce":0,"scheduled":true,"keys":4,
       "bytes":9000,"openedMicros":1795262401000000,"endedMicros":1795262402500000,"roll":null,
       "nodes":[{"node":0,"state":"taken","keys":4,"changed":0,"bytes":9000,
        "checksum":"0a1b2c3d","durationMs":12.0,"from":null,"failure":null},
        {"node":1,"state":"taken","keys":0,"changed":0,"bytes":0,
        "checksum":null,"durationMs":0.0,"from":null,"failure":null}]}""";

  private ApiStub api;

  @BeforeEach
  void start() throws IOException {
    api = new ApiStub();
    api.answer("/api/v1/rollbacks/5", ROLLBACK);
    api.answer("/api/v1/predicates", "[" + PREDICATE + "]");
    api.answer("/api/v1/predicates/p", PREDICATE);
    String listed = VIOLATION.formatted("0123456789ab", "a=1");
    api.answer(
        "/api/v1/violations", "[" + VIOLATION.formatted("other", "a=2") + "," + listed + "]", "7");
  }

  @AfterEach
  void stop() {
    api.close();
  }

  @Test
  void aRollbackHasItsStepsAndItsViolations() throws IOException {
    assertThat(api.run("describe", "rollback", "5")).isZero();
    assertThat(api.out())
        .contains("state      resumed\n", "opened by  violations of p\n")
        .containsPattern("0123456789 +a=1 +definite +2026-11-21T12:00:00.500000Z")
        .contains("1 of its 2 violations are shown; with -o json, 1\n")
        .doesNotContain("other");
    assertThat(api.asked()).containsExactly("limit=10000&predicate=p");
    assertThat(json("describe", "rollback", "5").path("violations")).hasSize(1);
  }

  @Test
  void whatNodesCountIsNamed() {
    assertThat(api.run("describe", "rollback", "5")).isZero();
    assertThat(api.out()).contains("4 of writes undone", "WRITES-UNDONE");
    api.answer("/api/v1/rollbacks/5", ROLLBACK.replace("\"undoes\":null", "\"undoes\":4"));
    assertThat(api.run("describe", "rollback", "5")).isZero();
    assertThat(api.out()).contains("4 of changes undone", "CHANGES-UNDONE");
    api.answer("/api/v1/rollbacks/5", ROLLBACK.replace("\"snapshot\":null", "\"snapshot\":\"s\""));
    assertThat(api.run("describe", "rollback", "5")).isZero();
    assertThat(api.out()).contains("4 of keys restored", "KEYS-RESTORED");
  }

  @Test
  void aRollbackThatWasUndoneNamesTheUndo() {
    api.answer("/api/v1/rollbacks/5", ROLLBACK.replace("\"undoneBy\":null", "\"undoneBy\":6"));
    assertThat(api.run("describe", "rollback", "5")).isZero();
    assertThat(api.out()).contains("\nundone by  rollback 6\n");
  }

  @Test
  void aRollbackThatIsHaltedHasItsWaysOutAndExitStatusOne() {
    api.answer(
        "/api/v1/rollbacks/5",
        ROLLBACK
            .replace("\"resumed\"", "\"halted\"")
            .replace("\"haltReason\":null", "\"haltReason\":\"disk full\""));
    assertThat(api.run("describe", "rollback", "5")).isOne();
    assertThat(api.out())
        .contains("\nrollback 5 is halted: disk full; 'palinode rollback retry 5' tries again,");
  }

  @Test
  void aNodeHasItsStateItsWayOutAndItsPredicates() throws IOException {
    api.answer(
        "/api/v1/nodes",
        "[{\"node\":0,\"state\":\"serves\",\"needsOperator\":false,\"incarnation\":0,"
            + "\"joinedMicros\":0,\"reach\":\"0\",\"lastAck\":\"\",\"lastAckMicros\":0},"
            + "{\"node\":1,\"state\":\"stands still\",\"needsOperator\":true,"
            + "\"sinceMicros\":1795262400000000,\"why\":\"publishes nothing; start it\","
            + "\"incarnation\":2,\"joinedMicros\":1795262300000000,\"reach\":\"1795262300000000\","
            + "\"exactReach\":\"1795262310000000\",\"memoryReach\":\"1795262320000000\","
            + "\"reachTo\":\"1795262330000000\","
            + "\"version\":\"0.1.0\",\"lastAck\":\"RESUMED\",\"lastAckMicros\":1795262400000000}]");
    assertThat(node("1", "table")).isOne();
    assertThat(api.out())
        .contains("state       stands still, since 2026-11-21T12:00:00Z (")
        .contains("reason      publishes nothing; start it\n")
        .contains("incarnation 2, joined 2026-11-21T11:58:20Z (")
        .contains("reach       2026-11-21T11:58:20.000000Z (")
        .contains("unanswered  ", "last ack    RESUMED, 2026-11-21T12:00:00Z (")
        .containsPattern("PREDICATE +IN-FORCE +AT-NODE\np +3 +2\n");
    assertThat(api.out()).doesNotContain("HLC");
    assertThat(node("1", "wide")).isOne();
    assertThat(api.out())
        .containsPattern("reach +2026-11-21T11:58:20.000000Z .*\n +HLC 1795262300000000\n")
        .containsPattern("exact reach .*\n +HLC 1795262310000000\n")
        .containsPattern("memory from .*\n +HLC 1795262320000000\n")
        .containsPattern("reach to .*\n +HLC 1795262330000000\n");
    assertThat(node("0", "table")).isZero();
    assertThat(api.out()).contains("incarnation none: it has never joined\n");
    assertThat(node("3", "table")).isEqualTo(2);
    assertThat(api.err()).contains("there is no node 3: nodes are 0 to 1");
    String before = api.out();
    assertThat(node("1", "json")).isOne();
    JsonNode all = new ObjectMapper().readTree(api.out().substring(before.length()));
    assertThat(all.at("/node/state").asText()).isEqualTo("stands still");
    assertThat(all.at("/predicates/0/name").asText()).isEqualTo("p");
  }

  @Test
  void aPredicateHasItsVersionsItsViolationsAndWhatWaits() throws IOException {
    api.answer("/api/v1/rollbacks", "[]", "0");
    api.answer("/api/v1/status", TablesTest.STATUS.replace(TablesTest.PREDICATE, "p"));
    assertThat(api.run("describe", "predicate", "p")).isZero();
    assertThat(api.out())
        .contains("version     3\n", "nodes       0:3 1:2\n", "job         3\n")
        .contains("converged   not yet: versions differ\n")
        .contains("violations  7, 7 of these hold; the latest: 2026-11-21T12:00:00.500000Z (")
        .contains("rollbacks   none is remembered\n")
        .contains("approval    request 2 waits since 2026-11-25T17:18:03Z (")
        .contains("budget      5 of 5 rollbacks are spent: violations stand until 2026-11-25T17:")
        .contains("sequential  keys of 1 instances, with R + W > N\n")
        .endsWith("\nkind: Predicate\n");
    assertThat(api.out()).doesNotContain("warning");
    JsonNode all = json("describe", "predicate", "p");
    assertThat(all.at("/violations/count").asInt()).isEqualTo(7);
    assertThat(all.at("/approvals/0/id").asInt()).isEqualTo(2);
    assertThat(all.at("/budgets/0/spent").asInt()).isEqualTo(5);
    assertThat(all.at("/sequential/0/keys/0").asText()).isEqualTo("cs_12_117_12");
    assertThat(api.run("describe", "predicate", "p", "-o", "wide")).isZero();
    assertThat(api.out()).containsPattern("violations .*\n( .*\n)* +HLC 1795262400500000\n");
    api.answer("/api/v1/predicates/other", PREDICATE.replace("\"p\"", "\"other\""));
    JsonNode other = json("describe", "predicate", "other");
    String warned = PREDICATE.replace("\"warnings\":[]", "\"warnings\":[\"no store\"]");
    api.answer("/api/v1/predicates/p", warned);
    assertThat(api.run("describe", "predicate", "p")).isZero();
    assertThat(api.out()).contains("warning     no store\n");
    assertThat(other.path("approvals")).isEmpty();
    assertThat(other.path("budgets")).isEmpty();
    assertThat(other.path("sequential")).isEmpty();
  }

  @Test
  void aSnapshotHasItsPartsWhatNeedsItAndItsRollbacks() throws IOException {
    String one = SNAPSHOT.formatted("daily", "null");
    String other = SNAPSHOT.formatted("hourly", "\"daily\"");
    api.answer("/api/v1/snapshots", "[" + other + "," + one + "]");
    api.answer("/api/v1/snapshots/daily", one);
    api.answer("/api/v1/snapshots/hourly", other);
    String restored = ROLLBACK.replace("\"snapshot\":null", "\"snapshot\":\"daily\"");
    api.answer("/api/v1/rollbacks", "[" + ROLLBACK + "," + restored + "]", "2");
    assertThat(api.run("describe", "snapshot", "daily")).isZero();
    assertThat(api.out())
        .contains("snapshot    daily\nstate       complete\n")
        .contains("at          2026-11-21T12:00:00.500000Z (")
        .contains("kind        full\n", "taken       by the schedule, 2026-11-21T12:00:01Z (")
        .contains("), in 1.5 s\n", "written     9000 B\n")
        .contains("needed by   hourly\n", "rollbacks   5 (resumed)\n")
        .contains("restore     palinode rollback run --to-snapshot daily\n")
        .containsPattern("NODE +STATE .*\n0 +taken +4 +0 +9000 B +0a1b2c3d +12 *\n");
    JsonNode all = json("describe", "snapshot", "daily");
    assertThat(all.at("/snapshot/id").asText()).isEqualTo("daily");
    assertThat(all.at("/neededBy/0").asText()).isEqualTo("hourly");
    assertThat(all.path("rollbacks")).hasSize(1);
    String before = api.out();
    assertThat(api.run("describe", "snapshot", "hourly", "-o", "wide")).isZero();
    assertThat(api.out().substring(before.length()))
        .contains("            HLC 1795262400500000\n")
        .contains("kind        full, stores what differs from daily\n")
        .contains("needed by   no other snapshot\n", "rollbacks   none is remembered\n");
  }

  @Test
  void aSnapshotThatANodeHasNotIsExitStatusOne() {
    String partial =
        SNAPSHOT
            .formatted("daily", "null")
            .replace("\"complete\"", "\"partial\"")
            .replace("\"failure\":null}]", "\"failure\":\"disk full\"}]")
            .replace(
                "\"roll\":null",
                "\"roll\":" + SNAPSHOT.formatted("roll", "null").replace("complete", "taking"));
    api.answer("/api/v1/snapshots", "[]");
    api.answer("/api/v1/snapshots/daily", partial);
    api.answer("/api/v1/rollbacks", "[]", "0");
    assertThat(api.run("describe", "snapshot", "daily")).isOne();
    assertThat(api.out())
        .contains("state       partial\n", "disk full", "move        moves to 2026-11-21T12:00:00.")
        .doesNotContain("--to-snapshot");
  }

  private int node(String number, String format) {
    return api.run("describe", "node", number, "-o", format, "--bootstrap", "127.0.0.1:1");
  }

  private JsonNode json(String... command) throws IOException {
    String before = api.out();
    List<String> all = new ArrayList<>(List.of(command));
    all.addAll(List.of("-o", "json"));
    assertThat(api.run(all.toArray(String[]::new))).isZero();
    return new ObjectMapper().readTree(api.out().substring(before.length()));
  }
}
