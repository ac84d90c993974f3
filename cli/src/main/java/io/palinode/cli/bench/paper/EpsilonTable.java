package io.palinode.cli.bench.paper;

import io.palinode.benchmarks.paper.Better;
import io.palinode.benchmarks.paper.Row;
import io.palinode.demo.DemoGraph;
import io.palinode.demo.DemoOptions.Network;
import io.palinode.demo.watch.RecordedRun;
import io.palinode.demo.watch.RuleResult;
import io.palinode.demo.watch.RuleResult.GradeResult;
import io.palinode.hvc.Epsilon;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;

/** One recording of the graph application, judged with different bounds of the clocks. */
final class EpsilonTable implements PaperTable {
  private static final List<String> EPSILONS = List.of("0", "100us", "1ms", "10ms", "100ms", "inf");
  private static final int CLIENTS = 6;
  private static final int FULL_ROUNDS = 12;
  private static final int QUICK_ROUNDS = 3;

  @Override
  public String name() {
    return "epsilon";
  }

  @Override
  public String title() {
    return "True and false reports of one recording, by epsilon and grade";
  }

  @Override
  public int steps(Budget budget) {
    return 1 + EPSILONS.size();
  }

  @Override
  public double stepSeconds(Budget budget) {
    return budget.equals(Budget.FULL) ? 60 : 8;
  }

  @Override
  public void measure(Session session) {
    boolean smallest = session.budget().equals(Budget.SMALLEST);
    GraphRuns runs =
        new GraphRuns(
            DemoGraph.parse(smallest ? session.budget().graph() : "karate", session.seed()),
            smallest ? Network.NONE : Network.GLOBAL,
            GraphRuns.NODES,
            GraphRuns.usual(
                CLIENTS,
                smallest ? 1 : session.budget().equals(Budget.FULL) ? FULL_ROUNDS : QUICK_ROUNDS),
            session.seed());
    session.step("recording the graph application");
    RecordedRun recorded = runs.record(new PrintWriter(Writer.nullWriter()));
    session.setting(
        "%s; %d intervals; %d violations surely happened, by the clients' log; replicas: first; clocks recorded with epsilon inf"
            .formatted(runs.text(), recorded.intervals(), recorded.happened()));
    for (String epsilon : EPSILONS) {
      session.step("judging with epsilon " + epsilon);
      rows(epsilon, recorded.judge(Epsilon.parse(epsilon))).forEach(session::add);
    }
    session.add(
        Row.notHere(
            "epsilon.clocks",
            "clocks of machines that differ",
            "reports",
            null,
            "there is one machine, and its nodes read one clock: a small epsilon misses nothing"));
  }

  /** For each grade the true and the false reports; and the recall of all grades. */
  static List<Row> rows(String epsilon, RuleResult result) {
    List<Row> rows = new ArrayList<>();
    String of = "epsilon " + epsilon + ", ";
    for (GradeResult grade : result.grades()) {
      Double precision = grade.precision();
      long right = precision == null ? 0 : Math.round(grade.reports() * precision);
      String id = "epsilon.%s.%s".formatted(epsilon, grade.grade());
      rows.add(count(id + ".true", of + grade.grade() + ", true", Better.HIGHER, right));
      rows.add(
          count(
              id + ".false",
              of + grade.grade() + ", false",
              Better.LOWER,
              grade.reports() - right));
    }
    Double recall = result.grades().get(result.grades().size() - 1).recall();
    if (recall != null) {
      rows.add(
          Row.of(
              "epsilon.%s.recall".formatted(epsilon),
              of + "recall of all grades",
              "%",
              Better.HIGHER,
              null,
              List.of(100 * recall),
              ""));
    }
    return rows;
  }

  private static Row count(String id, String what, Better better, long reports) {
    return Row.of(id, what, "reports", better, null, List.of((double) reports), "");
  }
}
