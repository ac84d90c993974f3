package io.palinode.benchmarks.report;

import io.palinode.benchmarks.online.InstancesBenchmark.Result;
import io.palinode.terminal.Output;
import io.palinode.terminal.TextTable;
import java.util.List;
import java.util.Locale;

/** What was measured; its components are the JSON output. */
public record InstancesReport(
    String machine,
    List<Result> runs,
    double ratio,
    long coverageLost,
    boolean heapGoalMet,
    boolean ratioGoalMet)
    implements Output.Report {
  private static final long HEAP_GOAL_BYTES = 1L << 30;
  private static final double RATIO_GOAL = 0.8;

  /** The few, then the many. */
  public static InstancesReport of(List<Result> runs, long coverageLost) {
    Result few = runs.get(0);
    Result many = runs.get(1);
    double ratio = many.candidatesPerSecond() / few.candidatesPerSecond();
    return new InstancesReport(
        Machine.text(),
        runs,
        ratio,
        coverageLost,
        many.heapBytes() < HEAP_GOAL_BYTES,
        ratio >= RATIO_GOAL);
  }

  @Override
  public String table() {
    TextTable table =
        new TextTable(
            TextTable.Align.RIGHT,
            List.of("instances seen", "active", "candidates", "candidates/s", "heap, MB"));
    for (Result run : runs) {
      table.row(
          List.of(
              number((double) run.instances()),
              number(run.active()),
              number((double) run.candidates()),
              number(run.candidatesPerSecond()),
              number(run.heapBytes() / 1e6)));
    }
    return machine
        + "\n\n"
        + table.render()
        + String.format(
            Locale.ROOT,
            "%nthe many are %.2f times as fast as the few; coverage lost %,d%n"
                + "goal: heap below 1 GB: %s%ngoal: at least %.1f times as fast: %s%n",
            ratio,
            coverageLost,
            heapGoalMet ? "met" : "missed",
            RATIO_GOAL,
            ratioGoalMet ? "met" : "missed");
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%,.0f", value);
  }
}
