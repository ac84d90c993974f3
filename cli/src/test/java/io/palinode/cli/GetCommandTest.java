package io.palinode.cli;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.form.Predicates;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GetCommandTest {
  private static final String ROLLBACK =
      "{\"epoch\":1,\"state\":\"resumed\",\"predicate\":\"p\",\"target\":\"7\",\"attempts\":1}";

  private ApiStub api;

  @BeforeEach
  void start() throws IOException {
    api = new ApiStub();
  }

  @AfterEach
  void stop() {
    api.close();
  }

  @Test
  void aCutListEndsWithTheNumberOfThoseThatAreNotListed() {
    api.answer("/api/v1/rollbacks", "[" + ROLLBACK + "]", "183");
    assertThat(api.run("get", "rollbacks", "--limit", "1", "-o", "json")).isZero();
    assertThat(api.asked()).containsExactly("limit=1");
    assertThat(api.err().strip())
        .isEqualTo("1 of 183 rollbacks are listed, the latest; --limit 183 lists all");
  }

  @Test
  void aWholeListEndsWithoutANote() {
    api.answer("/api/v1/rollbacks", "[" + ROLLBACK + "]", "1");
    assertThat(api.run("get", "rollbacks", "--since", "-5m", "--predicate", "a b", "-o", "json"))
        .isZero();
    assertThat(api.asked()).containsExactly("since=-5m&predicate=a%20b");
    assertThat(api.err()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "snapshots --limit 0 | --limit is for violations and rollbacks, not for snapshots; omit it",
        "nodes --since -5m | --since is for violations and rollbacks, not for nodes; omit it",
        "predicates p --predicate q | --predicate is for violations and rollbacks, not for"
            + " predicates; omit it",
        "rollbacks --grade definite | --grade is for violations, not for rollbacks; omit it",
        "snapshots --holding | --holding is for violations, not for snapshots; omit it",
        "rollbacks --limit 0 | --limit must be between 1 and 10000: '0'",
        "violations --limit 10001 | --limit must be between 1 and 10000: '10001'",
        "violations --limit -1 -w | --limit must be between 1 and 10000: '-1'",
        "violations --grade sure | --grade must be definite, possible or uncertain: 'sure'"
      })
  void anOptionThatDoesNotFitIsRefusedWithItsNameAndBounds(String options, String message) {
    assertThat(api.run(("get " + options).split(" "))).isEqualTo(2);
    assertThat(api.err().strip()).isEqualTo("palinode: " + message);
    assertThat(api.asked()).isEmpty();
  }

  @Test
  void aPredicateInForceIsPrintedAsItWasApplied() {
    String view =
        "{\"name\":\"p\",\"version\":3,\"converged\":true,\"warnings\":[],\"nodeVersions\":{},"
            + "\"jobVersion\":3,\"yaml\":\"kind: Predicate\\n\"}";
    api.answer("/api/v1/predicates/p", view, "");
    assertThat(api.run("get", "predicates", "p")).isZero();
    assertThat(api.out()).isEqualTo("kind: Predicate\n");
  }

  @Test
  void aListIsPrintedAsNamesOnePerLine() {
    api.answer("/api/v1/violations", "[" + violation("b", 2) + "," + violation("a", 1) + "]", "9");
    assertThat(api.run("get", "violations", "-o", "name")).isZero();
    api.answer("/api/v1/rollbacks", "[" + ROLLBACK + "]", "1");
    assertThat(api.run("get", "rollbacks", "-o", "name")).isZero();
    api.answer("/api/v1/nodes", "[{\"node\":0},{\"node\":1}]", "");
    assertThat(api.run("get", "nodes", "-o", "name")).isZero();
    api.answer("/api/v1/violations/b", violation("bcd", 2), "");
    assertThat(api.run("get", "violations", "b", "-o", "name")).isZero();
    assertThat(api.out()).isEqualTo("b\na\n1\n0\n1\nbcd\n");
    assertThat(api.err().strip()).startsWith("2 of 9 violations are listed");
  }

  @Test
  void aListIsPrintedAsYamlThatHasTheSameValues() throws IOException {
    String list = "[" + violation("b", 2) + "," + violation("0123", 1) + "]";
    api.answer("/api/v1/violations", list, "");
    assertThat(api.run("get", "violations", "-o", "yaml")).isZero();
    assertThat(api.out()).startsWith("- id: b\n  predicate: p\n");
    assertThat(new ObjectMapper(new YAMLFactory()).readTree(api.out()))
        .isEqualTo(new ObjectMapper().readTree(list));
  }

  @Test
  void nodesWithOneReasonShareOneLineBelowTheTable() {
    api.answer("/api/v1/nodes", "[{\"node\":0},{\"node\":1},{\"node\":2}]", "");
    assertThat(api.run("get", "nodes", "--bootstrap", "127.0.0.1:1")).isZero();
    assertThat(api.out().lines().filter(line -> line.startsWith("nodes 0, 1, 2: "))).hasSize(1);
    assertThat(api.out().lines()).hasSize(5);
  }

  @Test
  void aNodeThatStandsStillIsShownWithItsReasonAndWayOut() {
    String silent = "publishes nothing; start it";
    api.answer(
        "/api/v1/nodes",
        "[{\"node\":0,\"state\":\"serves\",\"needsOperator\":false,\"why\":null},"
            + "{\"node\":1,\"state\":\"stands still\",\"needsOperator\":true,\"why\":\""
            + silent
            + "\"}]",
        "");
    assertThat(api.run("get", "nodes", "--bootstrap", "127.0.0.1:1")).isOne();
    assertThat(api.out()).contains("STATE").contains("node 1: " + silent + "\n");
    assertThat(api.run("get", "nodes", "0", "--bootstrap", "127.0.0.1:1")).isZero();
  }

  @Test
  void aRollbackOrANodeCanBeShownAlone() {
    api.answer("/api/v1/rollbacks", "[" + ROLLBACK + "]", "1");
    assertThat(api.run("get", "rollbacks", "1", "-o", "name")).isZero();
    assertThat(api.out()).isEqualTo("1\n");
    assertThat(api.asked()).containsExactly("limit=10000");
    assertThat(api.run("get", "rollbacks", "7")).isEqualTo(2);
    assertThat(api.err()).contains("there is no rollback 7; omit '7' to list all");
  }

  @Test
  void aSnapshotIsListedAndShown() {
    String snapshot =
        "{\"id\":\"nightly\",\"state\":\"complete\",\"base\":null,\"at\":\"1795262400000000\","
            + "\"kind\":\"full\",\"keys\":6,\"bytes\":12000}";
    api.answer("/api/v1/snapshots", "[" + snapshot + "]");
    api.answer("/api/v1/snapshots/nightly", snapshot);
    for (String[] command :
        new String[][] {{"get", "snapshots"}, {"get", "snapshots", "nightly", "-o", "wide"}}) {
      assertThat(api.run(command)).isZero();
      assertThat(api.out())
          .containsPattern("nightly +complete +2026-11-21T12:00:00.000000Z .*0.0 MB");
    }
    assertThat(api.out()).contains("KEY-COPIES").contains(" full ");
    assertThat(api.run("get", "snapshots", "nightly", "-o", "name")).isZero();
    assertThat(api.out()).endsWith("nightly\n");
  }

  @Test
  void aPredicateInForceIsPrintedAsXml() {
    String yaml =
        "apiVersion: palinode.io/v1\\nkind: Predicate\\nmetadata: {name: p}\\n"
            + "spec: {violation: [{all: [{var: x, equals: '1'}]}]}\\n";
    api.answer(
        "/api/v1/predicates/p",
        "{\"name\":\"p\",\"version\":3,\"converged\":true,\"warnings\":[],\"nodeVersions\":{},"
            + "\"jobVersion\":3,\"yaml\":\""
            + yaml
            + "\"}");
    assertThat(api.run("get", "predicates", "p", "-o", "xml")).isZero();
    Predicate printed = Predicates.parse(api.out(), "printed.xml");
    assertThat(printed).isEqualTo(Predicates.parse(yaml.replace("\\n", "\n"), "p.yaml"));
    assertThat(api.out()).startsWith("<");
    assertThat(api.run("get", "nodes", "-o", "xml")).isEqualTo(2);
    assertThat(api.err()).contains("'palinode get predicates NAME -o xml'");
  }

  @Test
  void aRefusedWatchNamesTheCommandThatShowsOneViolation() {
    assertThat(api.run("get", "violations", "0123", "--watch")).isEqualTo(2);
    assertThat(api.err()).contains("'palinode describe violation 0123'");
  }

  @Test
  void aWatchOfRollbacksPrintsEachState() throws InterruptedException {
    String path = "/api/v1/rollbacks";
    String second = ROLLBACK.replace("\"epoch\":1", "\"epoch\":2");
    api.answer(path, "[" + ROLLBACK + "]");
    Thread watch = new Thread(() -> api.run("get", "rollbacks", "-w"));
    watch.start();
    await().until(() -> api.out().contains("resumed"));
    api.answerQuery(path, "before=2", "[" + ROLLBACK + "]");
    for (String state : List.of("restoring", "halted")) {
      String now = second.replace("resumed", state).replace("}", ",\"haltReason\":\"disk full\"}");
      api.answer(path, "[" + now + "," + ROLLBACK + "]");
      await().until(() -> api.out().contains(state));
    }
    watch.interrupt();
    watch.join();
    List<String> lines = api.out().lines().skip(1).toList();
    assertThat(lines.subList(0, lines.size() - 1))
        .map(line -> line.replaceAll("(\\S+) +(\\S+).*", "$1 $2"))
        .containsExactly("1 resumed", "2 restoring", "2 halted");
    assertThat(lines.get(lines.size() - 1))
        .startsWith("rollback 2 is halted: disk full; 'palinode rollback retry 2' tries again");
  }

  @Test
  void aWatchOfANodePrintsItsStatesOnly() throws InterruptedException {
    String nodes = "[{\"node\":0,\"state\":\"serves\"},{\"node\":1,\"state\":\"%s\"}]";
    api.answer("/api/v1/nodes", nodes.formatted("serves"));
    Thread watch =
        new Thread(
            () -> api.run("get", "nodes", "1", "-w", "-o", "json", "--bootstrap", "127.0.0.1:1"));
    watch.start();
    await().until(() -> api.out().contains("serves"));
    api.answer("/api/v1/nodes", nodes.formatted("late"));
    await().until(() -> api.out().contains("late"));
    watch.interrupt();
    watch.join();
    assertThat(api.out().lines()).hasSize(2).allMatch(line -> line.startsWith("{\"node\":1,"));
  }

  @Test
  void aWatchOfPredicatesNamesOneThatIsDeleted() throws InterruptedException {
    api.answer("/api/v1/predicates", "[{\"name\":\"p\",\"version\":2}]");
    Thread watch = new Thread(() -> api.run("get", "predicates", "-w", "-o", "name"));
    watch.start();
    await().until(() -> api.out().equals("p\n"));
    api.answer("/api/v1/predicates", "[]");
    await().until(() -> api.err().equals("predicate p is deleted\n"));
    watch.interrupt();
    watch.join();
  }

  @Test
  void aWatchOfOnePredicateReportsThatItIsDeletedAndPrintsItAgainOnceItIsBack()
      throws InterruptedException {
    String path = "/api/v1/predicates";
    api.answer(path, "[{\"name\":\"q\",\"version\":1}]");
    assertThat(api.run("get", "predicates", "p", "-w")).isEqualTo(2);
    String absent = "palinode: there is no predicate p; omit 'p' to list all\n";
    assertThat(api.err()).isEqualTo(absent);
    api.answer(path, "[{\"name\":\"q\",\"version\":1},{\"name\":\"p\",\"version\":2}]");
    Thread watch = new Thread(() -> api.run("get", "predicates", "p", "-w", "-o", "json"));
    watch.start();
    await().until(() -> api.out().contains("\"version\":2"));
    api.answer(path, "[{\"name\":\"q\",\"version\":1}]");
    await().until(() -> api.err().equals(absent + "predicate p is deleted\n"));
    api.answer(path, "[{\"name\":\"p\",\"version\":3}]");
    await().until(() -> api.out().contains("\"version\":3"));
    watch.interrupt();
    watch.join();
    assertThat(api.out()).doesNotContain("\"q\"");
  }

  @Test
  void aWatchOfNodesPrintsANodeAgainWhenItsReasonChanges() throws InterruptedException {
    String path = "/api/v1/nodes";
    String node = "[{\"node\":1,\"state\":\"stands still\",\"needsOperator\":%s,\"why\":\"%s\"}]";
    api.answer(path, node.formatted("false", "its clock is behind; see its log"));
    Thread watch = new Thread(() -> api.run("get", "nodes", "-w", "--bootstrap", "127.0.0.1:1"));
    watch.start();
    await().until(() -> api.out().contains("node 1: its clock is behind; see its log\n"));
    api.answer(path, node.formatted("false", "it publishes nothing; start it"));
    await().until(() -> api.out().contains("node 1: it publishes nothing; start it\n"));
    String before = api.out();
    api.answer(path, node.formatted("true", "it publishes nothing; start it"));
    await()
        .until(() -> api.out().substring(before.length()).contains("node 1: it publishes nothing"));
    watch.interrupt();
    watch.join();
  }

  @Test
  void aWatchOfACutListBeginsWithTheNumberOfThoseThatAreNotListed() throws InterruptedException {
    api.answer("/api/v1/violations", "[" + violation("a", 1) + "]", "9");
    Thread watch = new Thread(() -> api.run("get", "violations", "--limit", "1", "-w"));
    watch.start();
    await().until(() -> api.out().contains("1 of 9 violations are listed, the latest; --limit 9 "));
    watch.interrupt();
    watch.join();
    assertThat(api.err()).isEmpty();
  }

  /** Of a limited list, an older item takes the place of each that has ended. */
  @Test
  void aWatchDoesNotPrintOlderItemsOnceListedOnesHaveEnded() throws InterruptedException {
    String path = "/api/v1/violations";
    String query = "limit=2&holding=true";
    api.answer(path, violations("d", "c"));
    api.answerQuery(path, query + "&before=b", violations("a"));
    api.answerQuery(path, query + "&before=a", "[]");
    Thread watch =
        new Thread(
            () -> api.run("get", "violations", "--holding", "--limit", "2", "-w", "-o", "name"));
    watch.start();
    await().until(() -> api.out().equals("c\nd\n"));
    api.answer(path, violations("d", "b"));
    awaitTwoPolls();
    assertThat(api.out()).isEqualTo("c\nd\n");
    api.answerQuery(path, query + "&before=d", violations("a"));
    api.answer(path, violations("e", "a"));
    await().until(() -> api.out().contains("e"));
    watch.interrupt();
    watch.join();
    assertThat(api.out()).isEqualTo("c\nd\ne\n");
  }

  /** The result of the first one is then printed. */
  private void awaitTwoPolls() {
    long before = polls();
    await().until(() -> polls() >= before + 2);
  }

  private long polls() {
    return api.asked().stream().filter(query -> !query.contains("before")).count();
  }

  @Test
  void aWatchLastsUntilAnotherOrchestratorHasReplayedTheLogs()
      throws IOException, InterruptedException {
    String path = "/api/v1/predicates";
    api.answer(path, "[{\"name\":\"p\",\"version\":2}]");
    api.answer("/api/v1/status", "{\"failure\":\"the logs are being replayed\"}");
    Thread watch = new Thread(() -> api.run("get", "predicates", "-w", "-o", "name"));
    watch.start();
    await().until(() -> api.out().equals("p\n"));
    api.close();
    await().until(() -> api.err().contains("the server does not answer; asking again each second"));
    api.answer(path, "[]");
    long requests = api.requests();
    api.restart();
    await().until(() -> api.requests() > requests);
    api.answer(path, "[{\"name\":\"p\",\"version\":2},{\"name\":\"q\",\"version\":1}]");
    api.answer("/api/v1/status", "{\"failure\":null}");
    await().until(() -> api.out().equals("p\nq\n"));
    watch.interrupt();
    watch.join();
    assertThat(api.err().lines()).hasSize(2).last().asString().contains("answers again");
  }

  @Test
  void aWatchOutlastsAnUnavailableServerAndEndsWhenItIsRefused() throws InterruptedException {
    api.answer("/api/v1/predicates", "[]");
    api.answer("/api/v1/status", "{\"failure\":null}");
    AtomicInteger exit = new AtomicInteger(-1);
    Thread watch = new Thread(() -> exit.set(api.run("get", "predicates", "-w")));
    watch.start();
    await().until(() -> api.requests() == 1);
    api.status(503);
    await().until(() -> api.err().endsWith("each second: the server answered 503\n"));
    api.status(403);
    watch.join();
    assertThat(exit).hasValue(2);
    assertThat(api.err().lines()).hasSize(2);
  }

  @Test
  void aKindMayBeNamedByItsSingular() {
    api.answer("/api/v1/violations/0123", violation("0123", 1));
    assertThat(api.run("get", "violation", "0123", "-o", "name")).isZero();
    api.answer("/api/v1/nodes", "[{\"node\":1}]");
    assertThat(api.run("get", "Node", "1", "-o", "name")).isZero();
    assertThat(api.out()).isEqualTo("0123\n1\n");
    assertThat(api.run("get", "pods")).isEqualTo(2);
    assertThat(api.err())
        .contains("[predicates, violations, rollbacks, nodes, snapshots] but was 'pods'");
  }

  @Test
  void aWatchPrintsEachViolationOnceAndEndsWithZero() throws InterruptedException {
    api.answer("/api/v1/violations", "[" + violation("b", 2) + "," + violation("a", 1) + "]");
    AtomicInteger exit = new AtomicInteger(-1);
    Thread watch =
        new Thread(() -> exit.set(api.run("get", "violations", "-w", "--predicate", "p")));
    watch.start();
    await().until(() -> api.out().contains("b held; it holds\n"));
    api.answer("/api/v1/violations", "[" + violation("c", 3) + "," + violation("b", 2) + "]");
    await().until(() -> api.out().contains("c held; it holds\n"));
    watch.interrupt();
    watch.join();
    assertThat(exit).hasValue(0);
    assertThat(api.out().lines().map(line -> line.replaceAll(".* ", "")))
        .containsExactly("ID", "a", "b", "holds", "holds", "c", "holds");
    assertThat(api.out())
        .contains("\na: definite: a held; it holds\nb: definite: b held; it holds\n");
    assertThat(api.asked()).containsOnly("predicate=p");
  }

  @Test
  void aWatchReadsFurtherPagesUntilAKnownViolation() throws InterruptedException {
    String path = "/api/v1/violations";
    api.answer(path, "[]");
    api.answerQuery(path, "grade=definite&before=b", "[" + violation("a", 1) + "]");
    api.answerQuery(path, "grade=definite&before=a", "[]");
    Thread watch =
        new Thread(() -> api.run("get", "violations", "-w", "--grade", "definite", "-o", "json"));
    watch.start();
    await().until(() -> api.asked().contains("grade=definite"));
    api.answer(path, "[" + violation("b", 2) + "]");
    await().until(() -> api.out().lines().count() == 2);
    watch.interrupt();
    watch.join();
    assertThat(api.out().lines().map(line -> line.replaceAll(".*\"id\":\"(.)\".*", "$1")))
        .containsExactly("a", "b");
  }

  @Test
  void aSignalEndsAWatchWithZero() throws IOException, InterruptedException {
    api.answer("/api/v1/violations", "[" + violation("a", 1) + "]");
    Process watch =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "get",
                "violations",
                "--watch",
                "--server",
                api.url())
            .start();
    try (BufferedReader printed = watch.inputReader()) {
      assertThat(printed.readLine()).startsWith("PREDICATE");
      assertThat(printed.readLine()).startsWith("p ");
      watch.destroy();
      assertThat(watch.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(watch.exitValue()).isZero();
    } finally {
      watch.destroyForcibly();
    }
  }

  private static String violations(String... ids) {
    return Arrays.stream(ids).map(id -> violation(id, 1)).collect(joining(",", "[", "]"));
  }

  private static String violation(String id, long micros) {
    return """
        {"id":"%s","predicate":"p","binding":"a=1","grade":"definite","violate":"%d","meaning":"definite: %s held"}"""
        .formatted(id, micros, id);
  }
}
