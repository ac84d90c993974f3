package io.palinode.benchmarks.report;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.palinode.benchmarks.rollback.RollbackBenchmark.CopyResult;
import io.palinode.benchmarks.rollback.RollbackBenchmark.Result;
import io.palinode.terminal.Output;
import io.palinode.terminal.TextTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * What was measured; its components are the JSON output.
 *
 * @param first that this process did: its code is not compiled yet
 */
public record RollbackReport(
    String machine,
    int valueBytes,
    Result first,
    List<Result> rollbacks,
    List<CopyResult> copies,
    @JsonUnwrapped Figures figures)
    implements Output.Report {
  private static final double SIZE_RATIO_GOAL = 1.3;
  private static final double PAUSE_GOAL_MS = 500;
  private static final double COPY_RATIO_GOAL = 10;

  /**
   * What the goals are about.
   *
   * @param sizeRatio the pause of the largest store over that of the smallest, at the fewest
   *     changes; null when there is one size only
   * @param pauseMs median of the fewest changes, of the smallest store
   * @param copyRatio how long nodes are down while the files of the largest store are copied back,
   *     over its pause at the fewest changes
   */
  record Figures(@Nullable Double sizeRatio, double pauseMs, double copyRatio) {}

  public static RollbackReport of(
      int valueBytes, Result first, List<Result> rollbacks, List<CopyResult> copies) {
    int least = rollbacks.stream().mapToInt(Result::keys).min().orElseThrow();
    int most = rollbacks.stream().mapToInt(Result::keys).max().orElseThrow();
    int few = rollbacks.stream().mapToInt(r -> r.work().changes()).min().orElseThrow();
    double small = pause(rollbacks, least, few);
    double large = pause(rollbacks, most, few);
    double copy = median(copies, c -> c.keys() == most, CopyResult::downMs);
    return new RollbackReport(
        Machine.text(),
        valueBytes,
        first,
        rollbacks,
        copies,
        new Figures(least == most ? null : large / small, small, copy / large));
  }

  private static double pause(List<Result> all, int keys, int changes) {
    return median(all, r -> r.keys() == keys && r.work().changes() == changes, Result::pausedMs);
  }

  private static <T> double median(List<T> all, Predicate<T> which, ToDoubleFunction<T> what) {
    double[] sorted = all.stream().filter(which).mapToDouble(what).sorted().toArray();
    return sorted[sorted.length / 2];
  }

  @Override
  public String table() {
    TextTable table =
        new TextTable(
            TextTable.Align.RIGHT,
            List.of(
                "keys",
                "changes",
                "paused, ms",
                "least",
                "most",
                "pause",
                "judge",
                "restore",
                "converge",
                "resume",
                "stop, ms",
                "copy",
                "start"));
    List<Result> kinds = new ArrayList<>();
    for (Result one : rollbacks) {
      boolean isNew =
          kinds.stream()
              .noneMatch(k -> k.keys() == one.keys() && k.work().changes() == one.work().changes());
      if (isNew) {
        kinds.add(one);
      }
    }
    kinds.forEach(kind -> table.row(row(kind)));
    return "%s%n3 nodes with all keys, values of %d bytes; %,d changes before the target stand; medians of %d%n%n%s%n%s"
        .formatted(
            machine,
            valueBytes,
            rollbacks.get(0).work().standing(),
            rollbacks.size() / Math.max(1, kinds.size()),
            table.render(),
            goals());
  }

  private List<String> row(Result kind) {
    Predicate<Result> same =
        r -> r.keys() == kind.keys() && r.work().changes() == kind.work().changes();
    List<Double> paused =
        rollbacks.stream()
            .filter(same)
            .map(Result::pausedMs)
            .sorted(Comparator.naturalOrder())
            .toList();
    List<String> row = new ArrayList<>();
    row.add("%,d".formatted(kind.keys()));
    row.add("%,d".formatted(kind.work().changes()));
    row.add(number(median(rollbacks, same, Result::pausedMs)));
    row.add(number(paused.get(0)));
    row.add(number(paused.get(paused.size() - 1)));
    row.add(number(median(rollbacks, same, r -> r.steps().pauseMs())));
    row.add(number(median(rollbacks, same, r -> r.steps().judgeMs())));
    row.add(number(median(rollbacks, same, r -> r.steps().restoreMs())));
    row.add(number(median(rollbacks, same, r -> r.steps().convergeMs())));
    row.add(number(median(rollbacks, same, Result::resumeMs)));
    Predicate<CopyResult> ofSize = c -> c.keys() == kind.keys();
    row.add(number(median(copies, ofSize, CopyResult::stopMs)));
    row.add(number(median(copies, ofSize, CopyResult::copyMs)));
    row.add(number(median(copies, ofSize, CopyResult::startMs)));
    return row;
  }

  private String goals() {
    Double sizeRatio = figures.sizeRatio();
    double pauseMs = figures.pauseMs();
    double copyRatio = figures.copyRatio();
    String size =
        sizeRatio == null
            ? ""
            : "largest store over smallest: %.2f; goal below %.1f: %s%n"
                .formatted(sizeRatio, SIZE_RATIO_GOAL, met(sizeRatio < SIZE_RATIO_GOAL));
    return "the first rollback of the process: %s ms for %,d changes of %,d keys%n"
            .formatted(number(first.pausedMs()), first.work().changes(), first.keys())
        + size
        + "fewest changes: %s ms; goal at most %s ms: %s%n"
            .formatted(number(pauseMs), number(PAUSE_GOAL_MS), met(pauseMs <= PAUSE_GOAL_MS))
        + "copying the largest store's files over its rollback: %.1f; goal at least %.0f: %s%n"
            .formatted(copyRatio, COPY_RATIO_GOAL, met(copyRatio >= COPY_RATIO_GOAL));
  }

  private static String met(boolean met) {
    return met ? "met" : "missed";
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%,.0f", value);
  }
}
