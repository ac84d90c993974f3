package io.palinode.cli.bench.paper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.palinode.benchmarks.paper.Better;
import io.palinode.benchmarks.paper.Row;
import io.palinode.benchmarks.paper.TableResult;
import io.palinode.benchmarks.paper.Verdict;
import io.palinode.terminal.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PaperRunTest {
  private final AtomicBoolean stopped = new AtomicBoolean();
  private final List<String> progress = new ArrayList<>();
  private long nanos;

  @Test
  void theSmallestTableIsComplete() {
    TableResult scale = run(PaperRun.tables()).run(List.of("scale")).get(0);
    assertThat(scale.problem()).isEmpty();
    assertThat(scale.curves()).hasSize(3);
    assertThat(scale.rows()).extracting(Row::id).contains("scale.nodes", "scale.terms.8");
    assertThat(scale.rows())
        .filteredOn(row -> row.unit().equals("ns") && row.verdict() != Verdict.NOT_HERE)
        .isNotEmpty()
        .allMatch(row -> row.values().size() == 2 && row.values().get(0) > 0);
    assertThat(progress).hasSize(9).first().asString().contains("scale: nodes, warming up");
  }

  @Test
  void everyTableHasAUniqueNameAndSaysWhatCannotBeMeasured() {
    List<PaperTable> tables = PaperRun.tables();
    assertThat(tables).extracting(PaperTable::name).doesNotHaveDuplicates();
    assertThat(tables).allMatch(table -> table.steps(Budget.QUICK) > 0);
    double seconds =
        tables.stream().mapToDouble(t -> t.steps(Budget.QUICK) * t.stepSeconds(Budget.QUICK)).sum();
    assertThat(seconds).isLessThan(15 * 60);
  }

  @Test
  void aTableThatFailsKeepsItsRowsAndTheNextIsMeasured() {
    List<TableResult> results =
        run(List.of(
                table("one", () -> {}),
                table(
                    "two",
                    () -> {
                      throw new IllegalStateException("no disk");
                    }),
                table("three", () -> {})))
            .run(List.of());
    assertThat(results)
        .extracting(TableResult::problem)
        .containsExactly("", "failed: java.lang.IllegalStateException: no disk", "");
    assertThat(results.get(1).rows()).extracting(Row::id).containsExactly("two.begin");
    assertThat(results.get(2).rows()).hasSize(2);
  }

  @Test
  void anInterruptKeepsWhatWasFinished() {
    List<TableResult> results =
        run(List.of(
                table("one", () -> {}),
                table("two", () -> stopped.set(true)),
                table("three", () -> {})))
            .run(List.of());
    assertThat(results).hasSize(2);
    assertThat(results.get(1).problem()).isEqualTo("interrupted");
    assertThat(results.get(1).rows()).extracting(Row::id).containsExactly("two.begin");
  }

  @Test
  void aThreadThatWasInterruptedCanWriteTheReport() {
    TableResult result =
        run(List.of(table("one", () -> Thread.currentThread().interrupt()))).run(List.of()).get(0);
    assertThat(Thread.interrupted()).isFalse();
    assertThat(result.rows()).isNotEmpty();
  }

  @Test
  void anUnknownTableIsRefusedWithTheNames() {
    assertThatThrownBy(() -> run(List.of(table("one", () -> {}))).run(List.of("nine")))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("'nine'")
        .hasMessageContaining("one");
  }

  @Test
  void theEstimateFollowsThePaceOfThisMachine() {
    Estimate estimate = new Estimate(() -> nanos, List.of(40.0, 60.0));
    estimate.table(4, 10);
    estimate.step();
    assertThat(estimate.secondsLeft()).isCloseTo(100, within(1e-9));
    nanos = 20_000_000_000L;
    estimate.step();
    // Twice as long as expected: 90 s more are 180.
    assertThat(estimate.secondsLeft()).isCloseTo(180, within(1e-9));
    nanos = 80_000_000_000L;
    estimate.table(6, 10);
    estimate.step();
    assertThat(estimate.secondsLeft()).isCloseTo(120, within(1e-9));
  }

  @Test
  void sharesAndPercentilesOfLatenciesAreOfEachRound() {
    List<Double> hundred = DoubleStream.iterate(1, x -> x + 1).limit(100).boxed().toList();
    List<Double> late = Stream.concat(hundred.stream().limit(99), Stream.of(20_000.0)).toList();
    List<Row> rows = LatencyTable.rows("latency", List.of(hundred, late, List.of()));
    assertThat(row(rows, "latency.under-1").values()).containsExactly(0.0, 0.0);
    assertThat(row(rows, "latency.under-25").values()).containsExactly(24.0, 24.0);
    assertThat(row(rows, "latency.under-100").values()).containsExactly(99.0, 99.0);
    assertThat(row(rows, "latency.under-1000").values()).containsExactly(100.0, 99.0);
    assertThat(row(rows, "latency.p50.0").values()).containsExactly(50.0, 50.0);
    assertThat(row(rows, "latency.longest").values()).containsExactly(100.0, 20_000.0);
    assertThat(row(rows, "latency.under-100").verdict()).isEqualTo(Verdict.WORSE);
  }

  @Test
  void aRunWithoutAViolationHasNoShare() {
    assertThatThrownBy(() -> LatencyTable.rows("latency", List.of(List.of())))
        .hasMessageContaining("no violation");
  }

  private static Row row(List<Row> rows, String id) {
    return rows.stream().filter(row -> row.id().equals(id)).findAny().orElseThrow();
  }

  private PaperRun run(List<PaperTable> tables) {
    return new PaperRun(
        tables, Budget.SMALLEST, 1, () -> nanos += 1_000, stopped::get, progress::add);
  }

  /** Of a row, {@code then}, and another row. */
  private static PaperTable table(String name, Runnable then) {
    return new PaperTable() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public String title() {
        return name;
      }

      @Override
      public int steps(Budget budget) {
        return 2;
      }

      @Override
      public double stepSeconds(Budget budget) {
        return 1;
      }

      @Override
      public void measure(Session session) {
        session.step("begin");
        session.add(Row.of(name + ".begin", name, "ms", Better.LOWER, null, List.of(1.0), ""));
        then.run();
        session.step("end");
        session.add(Row.of(name + ".end", name, "ms", Better.LOWER, null, List.of(1.0), ""));
      }
    };
  }
}
