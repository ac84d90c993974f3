package io.palinode.cli.bench.paper;

import io.palinode.benchmarks.paper.TableResult;
import io.palinode.terminal.Refusal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Measures tables one after another, and keeps what was finished if one stops or fails. */
public final class PaperRun {
  private static final double NANOS_PER_SECOND = 1e9;

  /** The most useful first. */
  private static final List<PaperTable> TABLES =
      List.of(
          LatencyTable.closedLoop(),
          LatencyTable.sustained(),
          new OverheadTable(),
          new OptimisticTable(),
          new RollbacksTable(),
          new RetroscopeTable(),
          new EpsilonTable(),
          new ScaleTable());

  private final List<PaperTable> known;
  private final Budget budget;
  private final long seed;
  private final LongSupplier nanos;
  private final BooleanSupplier stopped;
  private final Consumer<String> progress;

  /**
   * @param stopped whether the user wants the run to end
   * @param progress is given lines for standard error
   */
  public PaperRun(
      Budget budget,
      long seed,
      LongSupplier nanos,
      BooleanSupplier stopped,
      Consumer<String> progress) {
    this(TABLES, budget, seed, nanos, stopped, progress);
  }

  PaperRun(
      List<PaperTable> known,
      Budget budget,
      long seed,
      LongSupplier nanos,
      BooleanSupplier stopped,
      Consumer<String> progress) {
    this.known = known;
    this.budget = budget;
    this.seed = seed;
    this.nanos = nanos;
    this.stopped = stopped;
    this.progress = progress;
  }

  static List<PaperTable> tables() {
    return TABLES;
  }

  /** Name and title of each table. */
  public static List<String[]> names() {
    return TABLES.stream().map(table -> new String[] {table.name(), table.title()}).toList();
  }

  /** Of those named; all if none is. Throws {@link Refusal} for an unknown name. */
  public List<TableResult> run(List<String> names) {
    List<PaperTable> tables = names.isEmpty() ? known : names.stream().map(this::find).toList();
    Estimate estimate =
        new Estimate(
            nanos, tables.stream().map(t -> t.steps(budget) * t.stepSeconds(budget)).toList());
    List<TableResult> results = new ArrayList<>();
    for (PaperTable table : tables) {
      estimate.table(table.steps(budget), table.stepSeconds(budget));
      results.add(run(table, new Session(table, budget, seed, estimate, stopped, progress)));
      if (stopped.getAsBoolean()) {
        break;
      }
    }
    return results;
  }

  private PaperTable find(String name) {
    return known.stream()
        .filter(table -> table.name().equals(name))
        .findAny()
        .orElseThrow(
            () ->
                new Refusal(
                    "--table has no table '%s'; tables: %s"
                        .formatted(
                            name,
                            String.join(", ", known.stream().map(PaperTable::name).toList()))));
  }

  private TableResult run(PaperTable table, Session session) {
    long begin = nanos.getAsLong();
    String problem = problem(table, session);
    return new TableResult(
        table.name(),
        table.title(),
        session.setting(),
        (nanos.getAsLong() - begin) / NANOS_PER_SECOND,
        session.rows(),
        session.curves(),
        problem);
  }

  /** Measures; returns why it stopped early, or nothing. */
  private String problem(PaperTable table, Session session) {
    try {
      table.measure(session);
      // The report is still to be written, so the thread must not stay interrupted.
      var unused = Thread.interrupted();
      return "";
    } catch (InterruptedException | IOException | RuntimeException e) {
      // The parts of a cluster report an interrupt by different exceptions.
      boolean interrupted = Thread.interrupted() || e instanceof InterruptedException;
      if (interrupted || stopped.getAsBoolean()) {
        return "interrupted";
      }
      progress.accept(table.name() + " failed: " + e);
      return "failed: " + e;
    }
  }
}
