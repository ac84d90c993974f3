package io.palinode.demo.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.demo.watch.RuleResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DemoReportTest {
  private static final CpuUse CPU =
      CpuUse.of(
          1_728_000_000L,
          Map.of(CpuUse.Part.CLIENTS, 864_000_000L, CpuUse.Part.KAFKA, 86_400_000L));

  private static final ModeResult EVENTUAL = unwatched("eventual", false);

  private static final ModeResult WATCHED =
      new ModeResult(
          "watched",
          "N=3 R=1 W=1",
          new ModeResult.Work(5.89, 8_640, 170, CPU),
          new ModeResult.Detected(
              2,
              7,
              new ModeResult.DetectionLatency(4.87, 22.9, 22.9, 22.9),
              new ModeResult.Accuracy(1, 3, 1.0, 0.5),
              List.of(rule("first", 2, null))),
          new ModeResult.RolledBack(2, new ModeResult.RollbackTime(59.1, 328.2), 1_108, List.of()),
          new ModeResult.Answer(true, 0));

  @Test
  void jsonNamesEveryFigureInTheDocumentedOrder() throws JsonProcessingException {
    JsonNode report = json(EVENTUAL, WATCHED);
    assertThat(names(report)).containsExactly("graph", "seed", "modes");
    JsonNode watched = report.get("modes").get(1);
    assertThat(names(watched))
        .containsExactly(
            "mode",
            "operationsPerSecond",
            "tasksPerSecond",
            "elapsedSeconds",
            "violations",
            "trueViolations",
            "precision",
            "recall",
            "rollbacks",
            "detectionLatencyMs",
            "rollbackMs",
            "wastedOperations",
            "answerCorrect",
            "possibleViolations",
            "operations",
            "tasks",
            "improperEdges",
            "uncertainReports",
            "rules",
            "storeSettings",
            "antiStall",
            "cpuMicrosPerOperation");
    assertThat(names(watched.get("detectionLatencyMs")))
        .containsExactly("p50", "p99", "p999", "max");
    assertThat(names(watched.get("rollbackMs"))).containsExactly("p50", "max");
  }

  @Test
  void cpuIsPerOperationAndByPart() throws JsonProcessingException {
    JsonNode cpu = json(EVENTUAL, WATCHED).get("modes").get(1).get("cpuMicrosPerOperation");
    assertThat(names(cpu))
        .containsExactly(
            "process",
            "clients",
            "nodes",
            "detector",
            "kafka",
            "flink",
            "orchestrator",
            "compiler",
            "collector",
            "other");
    assertThat(cpu.get("process").asDouble()).isEqualTo(200);
    assertThat(cpu.get("clients").asDouble()).isEqualTo(100);
    assertThat(cpu.get("kafka").asDouble()).isEqualTo(10);
    assertThat(cpu.get("other").asDouble()).isEqualTo(90);
    assertThat(table(WATCHED)).containsPattern("CPU per operation, us +200\\n");
  }

  @Test
  void aThreadCountsForThePartThatItsNameShows() {
    assertThat(CpuUse.Part.ofThread("colouring-client-3")).isEqualTo(CpuUse.Part.CLIENTS);
    assertThat(CpuUse.Part.ofThread("palinode-client-client-1-1-1")).isEqualTo(CpuUse.Part.CLIENTS);
    assertThat(CpuUse.Part.ofThread("store-node-0-requests-5-1")).isEqualTo(CpuUse.Part.NODES);
    assertThat(CpuUse.Part.ofThread("palinode-candidates-0")).isEqualTo(CpuUse.Part.DETECTOR);
    assertThat(CpuUse.Part.ofThread("kafka-producer-network-thread | palinode-node-0-candidates"))
        .isEqualTo(CpuUse.Part.KAFKA);
    assertThat(CpuUse.Part.ofThread("Source: candidates -> sequence (1/1)#0"))
        .isEqualTo(CpuUse.Part.FLINK);
    assertThat(CpuUse.Part.ofThread("palinode-orchestrator")).isEqualTo(CpuUse.Part.ORCHESTRATOR);
    assertThat(CpuUse.Part.ofThread("C2 CompilerThre")).isEqualTo(CpuUse.Part.COMPILER);
    assertThat(CpuUse.Part.ofThread("G1 Conc#0")).isEqualTo(CpuUse.Part.COLLECTOR);
    assertThat(CpuUse.Part.ofThread("main")).isEqualTo(CpuUse.Part.OTHER);
  }

  @Test
  void tableShowsWhenKeysWereSequentialAndComparesWithSequential() {
    ModeResult stalled =
        new ModeResult(
            "watched",
            "N=3 R=1 W=1",
            new ModeResult.Work(1, 1, 2, CPU),
            new ModeResult.Detected(2, 0, null, new ModeResult.Accuracy(1, 0, 1.0, 0.5), List.of()),
            new ModeResult.RolledBack(
                9,
                null,
                0,
                List.of(
                    new AntiStallChange(3.2, 10, 2, false, 4),
                    new AntiStallChange(4, 10, 2, true, 9),
                    new AntiStallChange(9.25, 0, 0, false, 9))),
            new ModeResult.Answer(true, 0));
    assertThat(report(unwatched("sequential", true), stalled).table())
        .containsPattern("3\\.2 +4 +10 keys +2 instances")
        .containsPattern("4\\.0 +9 +all keys +2 instances")
        .containsPattern("9\\.3 +9 +none")
        .contains("watched: 2.00 tasks/s, 0.03 times those of sequential");
    assertThat(table(WATCHED)).doesNotContain("R+W>N for");
  }

  @Test
  void whatAModeDoesNotMeasureIsNull() throws JsonProcessingException {
    JsonNode eventual = json(EVENTUAL, WATCHED).get("modes").get(0);
    assertThat(eventual.get("precision").isNull()).isTrue();
    assertThat(eventual.get("detectionLatencyMs").isNull()).isTrue();
    assertThat(eventual.get("answerCorrect").asBoolean()).isFalse();
  }

  @Test
  void tableShowsSureAndPossibleViolationsAsARange() {
    assertThat(table(WATCHED)).containsPattern("violations that really happened +1 to 4\n");
    assertThat(table(EVENTUAL)).containsPattern("violations that really happened +4\n");
  }

  @Test
  void tableSaysHowManyEdgesAreWrong() {
    assertThat(table(EVENTUAL)).containsPattern("answer is a proper colouring +NO: 3 edges\n");
    assertThat(table(WATCHED)).containsPattern("answer is a proper colouring +yes\n");
  }

  @Test
  void aWrongAnswerIsAFailureOnlyWhereItMustBeRight() {
    assertThat(report(EVENTUAL, WATCHED).everyRequiredAnswerIsRight()).isTrue();
    assertThat(report(unwatched("sequential", false)).everyRequiredAnswerIsRight()).isFalse();
  }

  @Test
  void tableShowsTheReportsOfEachRuleWhenBothJudgedARun() {
    assertThat(table(WATCHED)).doesNotContain("replicas");
    assertThat(table(judgedBy(rule("first", 2, null), rule("any", 5, 3L))))
        .containsPattern("watched +first +definite +2 +100.0 % +50.0 %\n")
        .containsPattern("watched +first +uncertain +0 +- +50.0 % +-\n")
        .containsPattern("watched +any +definite +5 +100.0 % +50.0 %\n")
        .containsPattern("watched +any +uncertain +0 +- +50.0 % +3\n");
  }

  private static ModeResult judgedBy(RuleResult... rules) {
    return new ModeResult(
        "watched",
        "N=3 R=1 W=1",
        new ModeResult.Work(1, 1, 1, CPU),
        new ModeResult.Detected(
            2, 0, null, new ModeResult.Accuracy(1, 0, 1.0, 0.5), List.of(rules)),
        new ModeResult.RolledBack(0, null, 0, List.of()),
        new ModeResult.Answer(true, 0));
  }

  private static RuleResult rule(String replicas, long definite, @Nullable Long phantoms) {
    return new RuleResult(
        replicas,
        List.of(
            new RuleResult.GradeResult("definite", definite, 1.0, 0.5),
            new RuleResult.GradeResult("uncertain", 0, null, 0.5)),
        phantoms);
  }

  private static ModeResult unwatched(String mode, boolean right) {
    return new ModeResult(
        mode,
        "N=3 R=1 W=1",
        new ModeResult.Work(2.9, 7_270, 170, CPU),
        new ModeResult.Detected(0, 0, null, new ModeResult.Accuracy(4, 0, null, null), List.of()),
        new ModeResult.RolledBack(0, null, 0, List.of()),
        new ModeResult.Answer(right, right ? 0 : 3));
  }

  private static DemoReport report(ModeResult... modes) {
    return new DemoReport("karate", 1, List.of(modes));
  }

  private static String table(ModeResult mode) {
    return report(mode).table();
  }

  private static JsonNode json(ModeResult... modes) throws JsonProcessingException {
    return new ObjectMapper().readTree(report(modes).json());
  }

  private static List<String> names(JsonNode node) {
    List<String> names = new ArrayList<>();
    node.fieldNames().forEachRemaining(names::add);
    return names;
  }
}
