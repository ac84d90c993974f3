package io.palinode.cli.bench.paper;

import io.palinode.benchmarks.paper.Curve;
import io.palinode.benchmarks.paper.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** One table while it is measured: what it has found, and whether it may continue. */
final class Session {
  private static final double SECONDS_PER_MINUTE = 60;

  private final String table;
  private final Budget budget;
  private final long seed;
  private final Estimate estimate;
  private final BooleanSupplier stopped;
  private final Consumer<String> progress;
  private final List<Row> rows = new ArrayList<>();
  private final List<Curve> curves = new ArrayList<>();
  private String setting = "";

  /**
   * @param stopped whether the user wants the run to end
   * @param progress is given a line a step
   */
  Session(
      PaperTable table,
      Budget budget,
      long seed,
      Estimate estimate,
      BooleanSupplier stopped,
      Consumer<String> progress) {
    this.table = table.name();
    this.budget = budget;
    this.seed = seed;
    this.estimate = estimate;
    this.stopped = stopped;
    this.progress = progress;
  }

  Budget budget() {
    return budget;
  }

  long seed() {
    return seed;
  }

  /** Reports that {@code what} begins. Throws {@link StoppedException} if the run is to end. */
  void step(String what) {
    checkStopped();
    estimate.step();
    double left = estimate.secondsLeft();
    progress.accept(
        left < SECONDS_PER_MINUTE
            ? String.format(Locale.ROOT, "%s: %s (less than a minute left)", table, what)
            : String.format(
                Locale.ROOT,
                "%s: %s (about %.0f min left)",
                table,
                what,
                left / SECONDS_PER_MINUTE));
  }

  /** Throws {@link StoppedException} if the run is to end. */
  void checkStopped() {
    if (isStopped()) {
      throw new StoppedException();
    }
  }

  /** Whether the run is to end. */
  boolean isStopped() {
    return stopped.getAsBoolean();
  }

  /** What is run, for a person. */
  void setting(String newSetting) {
    setting = newSetting;
  }

  void add(Row row) {
    rows.add(row);
  }

  void add(Curve curve) {
    curves.add(curve);
  }

  List<Row> rows() {
    return List.copyOf(rows);
  }

  List<Curve> curves() {
    return List.copyOf(curves);
  }

  String setting() {
    return setting;
  }
}
