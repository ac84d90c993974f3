package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.cli.status.ViolationWords;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.PointInTime;
import io.palinode.orchestrator.Status;
import io.palinode.terminal.TextTable;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a person sees in the tables of a cluster with long names and times. */
class TablesTest {
  private static final String VIOLATIONS = "/api/v1/violations";
  private static final String ID = "0123456789abcdef0123456789abcdef";
  private static final String SHORT_ID = "0123456789: ";
  private static final String TIME = "2026-11-25T17:18:03.123456Z.4095";
  private static final String EXACT = Hlc.format(PointInTime.parse(TIME, 0));
  static final String PREDICATE = "watched-edge-mutex-of-the-karate-club-graph";
  private static final String MEANING =
      "definite: term 1 on node 1 began at 2026-11-25T17:18:03.123456Z.4095, 3.1 ms before term 0 on"
          + " node 0 ended; clocks differ by at most 1ms, so both held at the same time";
  private static final String BINDING = "customer=1234567890,warehouse=eu-central-1";

  /** A status in which each line is there. */
  static final String STATUS =
      """
      {"epoch":12,"openEpoch":13,"phase":"halted","notServing":[0,2],
       "haltReason":"node 0 could not restore: disk full","abandonedEpoch":11,
       "safePoint":"HLC","safePointLagMs":1234567.8,"safePointHeldAt":"HLC",
       "coverageLosses":3,"coverageGaps":4,
       "unknown":[{"from":"HLC","to":"HLC","reason":"the node was killed"}],
       "judged":"HLC","judgedLagMs":120.0,"violations":12345,"phantoms":7,"rollbacks":12,
       "predicates":40,"nodes":7,"nodesJoined":5,
       "sequential":{"allKeys":false,"keys":12,"untilMicros":1,"instances":[
         {"predicate":"PREDICATE","binding":"BINDING","keys":["cs_12_117_12","cs_12_117_117"],
          "sinceMicros":1,"untilMicros":1,"holdMs":60000.0}]},
       "approvals":[{"id":2,"predicate":"PREDICATE","askedMicros":1795627083000000,
         "violations":17,"violationIds":["ID"],"target":"HLC"}],
       "budgets":[{"predicate":"PREDICATE","atMost":5,"perMs":3600000.0,"spent":5,
         "standsUntilMicros":1795627083000000}],
       "trouble":null,"unrestorable":[],"epochJudged":false,"unjudgedSinceMicros":1795627083000000,
       "jobPublishedMicros":1795627083000000,
       "waits":[{"reason":"job","node":null,"sinceMicros":1,"forMs":5100.0,"standsStill":true,
         "what":"the detection job has published nothing",
         "wayOut":"start it: 'palinode run detection', with the options that it had before"}],
       "insecure":"the API on 192.0.2.17 has no TLS (--tls-certificate, --tls-key) and no users (--users)",
       "failure":null}
      """
          .replace("HLC", EXACT)
          .replace("PREDICATE", PREDICATE)
          .replace("BINDING", BINDING);

  private ApiStub api;

  @BeforeEach
  void start() throws IOException {
    api = new ApiStub();
    api.answer("/api/v1/status", STATUS);
  }

  @AfterEach
  void stop() {
    api.close();
  }

  @Test
  void violationsFitAndOnlyNamesAndBindingsAreWrapped() {
    api.answer(VIOLATIONS, "[" + violation("uncertain", "over_budget", true) + "]");
    assertThat(api.run("get", "violations")).isZero();
    List<String> table = table(api.out());
    assertFit(table);
    assertThat(table.get(0)).matches("PREDICATE +BINDING +GRADE +VIOLATE +AGO +OUTCOME +ID");
    assertThat(table.get(1)).contains("uncertain", TIME).endsWith("  0123456789");
    assertThat(firstColumn(table, "BINDING")).isEqualTo(PREDICATE);
  }

  @Test
  void aWideListHasTheExactTimeTheWholeIdAndMoreColumns() {
    api.answer(VIOLATIONS, "[" + violation("definite", "rollback", false) + "]");
    assertThat(api.run("get", "violations", "-o", "wide")).isZero();
    List<String> table = table(api.out());
    assertThat(table.get(0))
        .contains("VIOLATE-HLC", "LASTED", "EPOCH", "LATENCY-MS", "PHANTOM", "MEANING");
    assertThat(table.get(1))
        .contains(PREDICATE, BINDING, TIME, "  " + EXACT + "  ", "12345.678", "  " + MEANING + "  ")
        .endsWith("  " + ID);
    assertThat(table.get(1).indexOf(MEANING)).isEqualTo(table.get(0).indexOf("MEANING"));
    assertThat(api.out()).doesNotContain("0123456789: ");
  }

  @Test
  void eachViolationOfAShortListIsExplainedBelowTheTable() {
    String one = violation("definite", "rollback", false);
    String early = one.replace(ID, "f" + ID.substring(1)).replace("\"" + MEANING + "\"", "null");
    api.answer(VIOLATIONS, "[" + one + "," + early + "]");
    assertThat(api.run("get", "violations")).isZero();
    List<String> below = api.out().lines().dropWhile(line -> !line.startsWith(SHORT_ID)).toList();
    assertFit(below.subList(0, 2));
    assertThat(below.get(0)).startsWith("0123456789: definite: term 1 on node 1 began at " + TIME);
    assertThat(below.get(1)).startsWith("            ");
    assertThat(below.get(0) + " " + below.get(1).strip())
        .isEqualTo(SHORT_ID + MEANING + "; it holds");
    assertThat(below.get(2)).as("no meaning is known of the other").startsWith("definite: it ");
  }

  @Test
  void aLongListNamesTheCommandThatExplainsOne() {
    String one = violation("definite", "rollback", false);
    api.answer(VIOLATIONS, "[" + String.join(",", Collections.nCopies(6, one)) + "]");
    assertThat(api.run("get", "violations")).isZero();
    assertThat(api.out())
        .contains("\nmeaning: 'palinode describe violation ID' explains the grade of one,")
        .doesNotContain(SHORT_ID);
    api.answer(VIOLATIONS, "[" + String.join(",", Collections.nCopies(5, one)) + "]");
    assertThat(api.run("get", "violations")).isZero();
    assertThat(api.out().lines().filter(line -> line.startsWith(SHORT_ID))).hasSize(5);
  }

  @Test
  void eachGradeAndOutcomeInATableIsExplainedBelowIt() {
    api.answer(
        VIOLATIONS,
        "[%s,%s,%s]"
            .formatted(
                violation("definite", "covered", false),
                violation("definite", "covered", true),
                violation("possible", "rollback", false)));
    assertThat(api.run("get", "violations")).isZero();
    assertThat(api.out().lines().filter(line -> line.matches("[a-z_]+: .*")).toList())
        .startsWith(
            "definite: it occurred, even if clocks differ",
            "possible: it may have occurred; the recorded clocks do not decide it",
            "rollback: its rollback waits, is open, or is done",
            "covered: a rollback for another violation also discarded this one",
            "phantom: it exists only because a replica lagged");
    assertThat(api.out()).doesNotContain("uncertain:", "rejected:");
  }

  @Test
  void everyOutcomeHasAnExplanation() throws JsonProcessingException {
    for (String outcome :
        List.of(
            "rollback",
            "covered",
            "rejected",
            "over_budget",
            "abandoned",
            "restarted",
            "stands",
            "too_late",
            "no_rollback",
            "waiting",
            "expired")) {
      assertThat(ViolationWords.lines(json("[" + violation("possible", outcome, false) + "]")))
          .as(outcome)
          .hasSize(2)
          .anyMatch(line -> line.startsWith(outcome + ": "));
    }
  }

  @Test
  void rollbacksFit() {
    String rollback =
        """
        [{"epoch":12345,"state":"converging","predicate":"%s","target":"%s","attempts":2,
          "undoneWrites":1234567,"convergedKeys":89,"totalMs":12345.678,"violationIds":[],
          "snapshot":null,"openedMicros":1,"endedMicros":2,"pauseMs":1.0,"judgementMs":1.0,"restoreMs":1.0,
          "convergeMs":1.0,"haltReason":null,
          "acts":[{"action":"approve","user":"alice","atMicros":1},
            {"action":"retry","user":"bob","atMicros":2}]}]"""
            .formatted(PREDICATE, EXACT);
    api.answer("/api/v1/rollbacks", rollback);
    assertThat(api.run("get", "rollbacks", "--limit", "1")).isZero();
    List<String> table = table(api.out());
    assertFit(table);
    assertThat(table.get(0)).contains("TARGET", "AGO", "UNDONE-COPIES", "TOTAL-MS");
    assertThat(table.get(1)).contains(TIME, "1234567", "12345.678");
    assertThat(api.out()).contains("rollback 12345: approve by alice, retry by bob");
    String toSnapshot = "\"snapshot\":\"%s\"".formatted("s".repeat(63));
    api.answer("/api/v1/rollbacks", rollback.replace("\"snapshot\":null", toSnapshot));
    assertThat(api.run("get", "rollbacks", "--limit", "1")).isZero();
    assertFit(table(api.out()));
    assertThat(api.out()).contains("to snapshot ");
    assertThat(api.run("get", "rollbacks", "-o", "wide")).isZero();
    assertThat(api.out()).contains(EXACT, "COMPLETED-COPIES", "ATTEMPTS", "BY", "alice bob");
  }

  @Test
  void onANarrowTerminalTheLeastImportantColumnsAreLeftOut() throws JsonProcessingException {
    JsonNode rollback =
        json(
            """
            {"epoch":12345,"state":"converging","predicate":"%s","target":"%s",
             "undoneWrites":1234567,"totalMs":12345.678}"""
                .formatted(PREDICATE, EXACT));
    JsonNode violation = json(violation("uncertain", "over_budget", true));
    assertThat(narrow(Resource.ROLLBACKS, rollback))
        .startsWith("EPOCH  STATE       PREDICATE ")
        .contains("1234567", "12345.678", "\nnot shown on 80 columns: TARGET; -o wide shows all\n");
    assertThat(narrow(Resource.VIOLATIONS, violation))
        .startsWith("PREDICATE ")
        .contains(SHORT_ID.substring(0, 10), "not shown on 80 columns: VIOLATE; -o wide");
  }

  private static String narrow(Resource resource, JsonNode item) {
    String text = resource.table(false).within(80).row(resource.row(item, false)).render();
    assertThat(text.lines()).allSatisfy(line -> assertThat(line.length()).isLessThan(81));
    return text;
  }

  @Test
  void predicatesFit() {
    String versions =
        "\"0\":1234,\"1\":1234,\"2\":1234,\"3\":1234,\"4\":1234,\"5\":1234,\"6\":1233";
    api.answer(
        "/api/v1/predicates",
        """
        [{"name":"%s","version":1234,"nodeVersions":{%s},"jobVersion":1234,"converged":false,"warnings":[]}]"""
            .formatted(PREDICATE, versions));
    assertThat(api.run("get", "predicates")).isZero();
    assertFit(table(api.out()));
    assertThat(api.out()).contains("6:1233");
  }

  @Test
  void nodesFit() throws JsonProcessingException {
    String reach = Hlc.format(PointInTime.parse("2026-11-25T17:18:03.123456Z.12", 0));
    JsonNode node =
        json(
            """
            {"node":12,"state":"never joined","reach":"%1$s","exactReach":"%1$s","memory":"256.0 MB","disk":"1073.7 MB",
             "reachTo":"%1$s","memoryReach":"%1$s","granularity":"1m","lastAck":"resumed",
             "version":"0.1.0"}"""
                .formatted(reach));
    TextTable table = Resource.NODES.table(false).row(Resource.NODES.row(node, false));
    List<String> lines = table.render().lines().toList();
    assertFit(lines);
    assertThat(lines.get(1)).contains("2026-11-25T17:18:03.123456Z.12", "1073.7 MB");
    TextTable wide = Resource.NODES.table(true).row(Resource.NODES.row(node, true));
    assertThat(wide.render())
        .contains(reach, "EXACT-REACH", "REACH-TO", "GRANULARITY", "LAST-ACK", "0.1.0");
  }

  @Test
  void snapshotsFit() {
    String snapshot =
        """
        [{"id":"before-the-deploy-of-the-new-release","number":1,"state":"complete",
          "kind":"incremental","at":"%s","time":"2026-11-25T17:18:03.123456Z",
          "base":"before-the-last-deploy","atOnce":0,"scheduled":false,"keys":3000000,
          "bytes":123456789,"openedMicros":1,"endedMicros":2,"nodes":[],"roll":null}]"""
            .formatted(EXACT);
    api.answer("/api/v1/snapshots", snapshot);
    assertThat(api.run("snapshot", "list")).isZero();
    List<String> table = table(api.out());
    assertFit(table);
    assertThat(table.get(1)).contains(TIME, "123.5 MB");
    assertThat(api.run("snapshot", "list", "-o", "wide")).isZero();
    assertThat(api.out()).contains(EXACT, "incremental", "KEY-COPIES", "3000000");
  }

  /** A short list would look like an answer, and a sentence of the past like the present. */
  @Test
  void violationsStateWhatIsNotJudgedAndWhetherTheyHold() {
    String holds = violation("definite", "rollback", false);
    String ended = holds.replace("\"ended\":null", "\"ended\":\"" + EXACT + "\"");
    api.answer("/api/v1/violations", "[" + holds + "," + ended + "]");
    assertThat(api.run("get", "violations")).isZero();
    assertThat(api.out()).doesNotContain("not judged after");
    api.answer("/api/v1/status", STATUS.replace("\"judgedLagMs\":120.0", "\"judgedLagMs\":5001.0"));
    assertThat(api.run("get", "violations")).isZero();
    assertFit(api.out().lines().toList());
    assertThat(api.out().replaceAll("\\s+", " "))
        .contains("at the same time; it holds", "at the same time; it ended at " + TIME)
        .contains(
            "not judged after "
                + TIME
                + ": later violations are not known yet; the detection job has published nothing;"
                + " start it");
  }

  /** What is not read yet would look like an empty cluster. */
  @Test
  void statusOfAnOrchestratorThatReadsItsLogsIsOneLine() {
    String failure = "\"failure\":\"%s\"".formatted(Status.REPLAYING);
    api.answer("/api/v1/status", STATUS.replace("\"failure\":null", failure));
    assertThat(api.run("status", "--bootstrap", "127.0.0.1:1")).isEqualTo(1);
    assertThat(api.run("status", "-o", "json", "--bootstrap", "127.0.0.1:1")).isEqualTo(1);
    assertThat(api.out()).isEmpty();
    assertThat(api.err().lines()).hasSize(2).containsOnly("palinode: " + Status.REPLAYING);
  }

  @Test
  void rollbacksByHandAndUndosAreNamed() {
    String rollback =
        """
        {"epoch":%s,"state":"resumed","predicate":"","violationIds":[],"snapshot":null,
         "undoes":%s,"target":"HLC","attempts":1,"undoneWrites":1,"convergedKeys":1,
         "totalMs":80.0,"acts":[]}"""
            .replace("HLC", EXACT);
    String undo = rollback.formatted("5", "4");
    api.answer("/api/v1/rollbacks", "[" + undo + "," + rollback.formatted("4", "null") + "]");
    for (String output : List.of("table", "wide")) {
      assertThat(api.run("get", "rollbacks", "-o", output)).isZero();
      assertThat(api.out())
          .containsPattern("5 +resumed +undo of 4 +2026")
          .containsPattern("4 +resumed +by hand +2026");
    }
  }

  @Test
  void statusFitsAndShowsTimesWithTheirAge() {
    assertThat(api.run("status", "--bootstrap", "127.0.0.1:1")).isEqualTo(1);
    List<String> lines = api.out().lines().toList();
    assertFit(lines);
    assertThat(api.out())
        .contains("safe point  " + TIME + ", 1234568 ms behind")
        .contains("approval    2 waits since 2026-11-25T17:18:03Z (")
        .contains("unknown: from " + TIME + " up to " + TIME)
        .doesNotContain(EXACT);
    assertThat(api.err()).contains("the safe point is held at " + TIME);
    assertThat(api.run("status", "-o", "wide", "--bootstrap", "127.0.0.1:1")).isEqualTo(1);
    assertThat(api.out()).contains("HLCs        safe point " + EXACT + ", judged " + EXACT);
  }

  private static String violation(String grade, String outcome, boolean isPhantom) {
    return """
        {"id":"%s","predicate":"%s","binding":"%s","grade":"%s","violate":"%s","ended":null,"epoch":12345,
         "latencyMs":12345.678,"outcome":"%s","phantom":%s,"meaning":"%s"}"""
        .formatted(ID, PREDICATE, BINDING, grade, EXACT, outcome, isPhantom, MEANING);
  }

  /** The heading and the rows. */
  private static List<String> table(String out) {
    return out.lines().takeWhile(line -> !line.matches("[a-z_0-9]+: .*")).toList();
  }

  /** What the rows have before the column {@code next}, without the breaks. */
  private static String firstColumn(List<String> table, String next) {
    int end = table.get(0).indexOf(next);
    return table.stream()
        .skip(1)
        .map(line -> line.substring(0, Math.min(end, line.length())).strip())
        .collect(Collectors.joining());
  }

  private static void assertFit(List<String> lines) {
    assertThat(lines).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(100));
  }

  private static JsonNode json(String text) throws JsonProcessingException {
    return new ObjectMapper().readTree(text);
  }
}
