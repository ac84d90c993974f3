package io.palinode.benchmarks.windowlog;

import io.palinode.benchmarks.windowlog.WindowLogBenchmark.Contestant;
import io.palinode.benchmarks.windowlog.WindowLogBenchmark.DiffFigures;
import io.palinode.benchmarks.windowlog.WindowLogBenchmark.Figures;
import io.palinode.benchmarks.windowlog.WindowLogBenchmark.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What the window-log is to reach, and whether it did. */
public final class Goals {
  /** Above this an append would be said to allocate; buffers and tables that grow are below. */
  private static final double NOTHING_BYTES = 0.5;

  /** Times as good as the simple log, for each number of changes. */
  private static final Map<Integer, Double> DIFFS =
      Map.of(10_000, 10.0, 100_000, 8.0, 1_000_000, 5.0);

  private final Figures simple;
  private final Figures ours;
  private final List<Goal> goals = new ArrayList<>();

  /**
   * @param unit of what is measured: "bytes", or "times" as good as the simple log
   * @param least whether the goal is a least; otherwise a most
   */
  public record Goal(String what, String unit, boolean least, double goal, double measured) {
    public boolean isMet() {
      return least ? measured >= goal : measured <= goal;
    }
  }

  private Goals(Figures simple, Figures ours) {
    this.simple = simple;
    this.ours = ours;
  }

  /** Of a window-log, {@link Contestant#ALONE} or {@link Contestant#HELPED}. */
  public static List<Goal> of(Result result, Contestant contestant) {
    Goals goals =
        new Goals(
            Objects.requireNonNull(result.figures().get(Contestant.LINKED)),
            Objects.requireNonNull(result.figures().get(contestant)));
    goals.appends();
    goals.memory(result.sizes().valueBytes() > 8 ? 3.5 : 8);
    goals.diffs();
    return goals.goals;
  }

  private void appends() {
    var one = simple.atHand();
    var other = simple.fresh();
    times("append, payload at hand", 1.5, one.fillNanos(), ours.atHand().fillNanos());
    times("append, payload fresh", 3, other.fillNanos(), ours.fresh().fillNanos());
    times("moving window, at hand", 1.5, one.slideNanos(), ours.atHand().slideNanos());
    times("moving window, fresh", 3, other.slideNanos(), ours.fresh().slideNanos());
    times("worst pause, at hand", 10, one.worstPauseMillis(), ours.atHand().worstPauseMillis());
    times("worst pause, fresh", 10, other.worstPauseMillis(), ours.fresh().worstPauseMillis());
  }

  private void memory(double times) {
    times("memory kept", times, simple.memory().keptBytes(), ours.memory().keptBytes());
    most("bookkeeping of an entry", 16, ours.memory().bookkeepingBytes());
    most("allocated by an append", NOTHING_BYTES, ours.memory().allocatedBytes());
  }

  private void diffs() {
    for (int i = 0; i < ours.diffs().size(); i++) {
      DiffFigures mine = ours.diffs().get(i);
      times(
          "difference, %,d changes, %s".formatted(mine.entries(), spread(mine)),
          DIFFS.getOrDefault(mine.entries(), 1.0),
          simple.diffs().get(i).nanos(),
          mine.nanos());
    }
  }

  private static String spread(DiffFigures figures) {
    return switch (figures.spread()) {
      case UNIFORM -> "uniform";
      case EIGHTY_TWENTY -> "80/20";
    };
  }

  private void times(String what, double goal, double simpleFigure, double ourFigure) {
    goals.add(new Goal(what, "times", true, goal, simpleFigure / ourFigure));
  }

  private void most(String what, double goal, double measured) {
    goals.add(new Goal(what, "bytes", false, goal, measured));
  }
}
