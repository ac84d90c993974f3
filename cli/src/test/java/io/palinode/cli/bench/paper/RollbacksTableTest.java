package io.palinode.cli.bench.paper;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.benchmarks.Turns;
import io.palinode.benchmarks.paper.Row;
import io.palinode.benchmarks.paper.Verdict;
import io.palinode.demo.DemoOptions.Conflict;
import io.palinode.demo.DemoOptions.Network;
import io.palinode.demo.report.AntiStallChange;
import io.palinode.demo.report.CpuUse;
import io.palinode.demo.report.ModeResult;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RollbacksTableTest {
  private static final ModeResult SEQUENTIAL = run(0, 0, null, null, List.of(), true);
  private static final ModeResult QUIET = run(0, 0, null, null, List.of(), true);
  private static final ModeResult ROLLED_BACK =
      run(
          3,
          2,
          new ModeResult.DetectionLatency(20, 30, 30, 30),
          new ModeResult.RollbackTime(60, 90),
          List.of(
              new AntiStallChange(1, 5, 1, false, 1),
              new AntiStallChange(2, 10, 2, false, 2),
              new AntiStallChange(3, 0, 0, false, 2)),
          false);

  @Test
  void aRunHasItsViolationsAndTheCostOfItsRollbacks() {
    List<Row> rows = rows(Network.REGIONAL, Conflict.USUAL, QUIET, ROLLED_BACK);
    // 3 violations, and each of 6 clients had 100 tasks.
    assertThat(row(rows, "violations").values()).containsExactly(0.0, 30.0);
    assertThat(row(rows, "found").values()).containsExactly(20.0);
    assertThat(row(rows, "wasted").values()).containsExactly(0.0, 10.0);
    assertThat(row(rows, "time").values()).containsExactly(60.0);
    assertThat(row(rows, "gain").values()).containsExactly(0.0, 0.0);
    assertThat(row(rows, "gain").note())
        .isEqualTo(
            "runs: 2, rollbacks: 2, keys that became sequential: at most 10; WRONG ANSWERS: 1");
  }

  @Test
  void withoutAViolationThereIsNoTime() {
    List<Row> rows = rows(Network.GLOBAL, Conflict.HIGH, QUIET, QUIET);
    assertThat(row(rows, "found").verdict()).isEqualTo(Verdict.NOT_HERE);
    assertThat(row(rows, "time").note()).isEqualTo("no run had one");
    assertThat(row(rows, "gain").note())
        .isEqualTo("runs: 2, rollbacks: 0, keys that became sequential: none");
    assertThat(rows).extracting(Row::id).allMatch(id -> id.startsWith("rollbacks.global.high."));
  }

  @Test
  void onlyTheUsualConflictOfOneRegionIsPrinted() {
    assertThat(rows(Network.REGIONAL, Conflict.USUAL, ROLLED_BACK))
        .filteredOn(row -> row.paper() != null)
        .extracting(Row::id)
        .containsExactly("rollbacks.regional.usual.found");
    assertThat(rows(Network.REGIONAL, Conflict.HIGH, ROLLED_BACK))
        .allMatch(row -> row.paper() == null);
  }

  @Test
  void howOftenViolationsHappenIsComparedAfterEnoughTasks() {
    ModeResult[] few = Collections.nCopies(62, QUIET).toArray(ModeResult[]::new);
    ModeResult[] enough = Collections.nCopies(63, QUIET).toArray(ModeResult[]::new);
    Row ofFew = row(rows(Network.REGIONAL, Conflict.USUAL, few), "violations");
    assertThat(ofFew.verdict()).isEqualTo(Verdict.NOT_PRINTED);
    assertThat(ofFew.note())
        .isEqualTo("printed: 1 after 2,098 tasks of a client; here a client had 6,200 in all runs");
    assertThat(row(rows(Network.REGIONAL, Conflict.USUAL, enough), "violations").verdict())
        .isEqualTo(Verdict.BETTER);
  }

  private static List<Row> rows(Network network, Conflict conflict, ModeResult... watched) {
    List<ModeResult> sequential = List.of(watched).stream().map(each -> SEQUENTIAL).toList();
    return RollbacksTable.rows(
        new RollbacksTable.Setting(network, 1, conflict, 1),
        new Turns<>(sequential, List.of(watched)));
  }

  private static Row row(List<Row> rows, String figure) {
    return rows.stream().filter(row -> row.id().endsWith("." + figure)).findAny().orElseThrow();
  }

  private static ModeResult run(
      long violations,
      long rollbacks,
      ModeResult.@Nullable DetectionLatency latency,
      ModeResult.@Nullable RollbackTime time,
      List<AntiStallChange> antiStall,
      boolean isRight) {
    return new ModeResult(
        "watched",
        "N=3 R=1 W=1",
        new ModeResult.Work(10, 1_000, 600, new CpuUse(0, Map.of(CpuUse.Part.OTHER, 0L))),
        new ModeResult.Detected(
            violations, 0, latency, new ModeResult.Accuracy(0, 0, null, null), List.of()),
        new ModeResult.RolledBack(rollbacks, time, 50 * rollbacks, antiStall),
        new ModeResult.Answer(isRight, isRight ? 0 : 1));
  }
}
