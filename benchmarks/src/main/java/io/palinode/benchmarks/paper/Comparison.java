package io.palinode.benchmarks.paper;

import io.palinode.terminal.Output;
import io.palinode.terminal.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Two reports, row by row; its components are the JSON output.
 *
 * @param level rows whose p is at most this are significant
 * @param differences in what was run, which make figures differ
 */
public record Comparison(double level, List<String> differences, List<Change> changes)
    implements Output.Report {

  /** What became of a figure. */
  public enum Outcome {
    BETTER("better"),
    WORSE("WORSE"),
    /** Chance suffices to explain it. */
    NOT_SIGNIFICANT("not significant"),
    /** No difference could be significant. */
    TOO_FEW("too few repetitions"),
    /** Only one report has figures of the row. */
    NOT_IN_BOTH("not in both");

    private final String text;

    Outcome(String text) {
      this.text = text;
    }
  }

  /**
   * A row of both reports.
   *
   * @param before the median; so is {@code after}
   * @param p of the rank test
   */
  public record Change(
      String id,
      String what,
      String unit,
      @Nullable Double before,
      @Nullable Double after,
      @Nullable Double p,
      Outcome outcome) {}

  public Comparison {
    differences = List.copyOf(differences);
    changes = List.copyOf(changes);
  }

  public static Comparison of(PaperReport old, PaperReport now, double level) {
    Map<String, Row> before = rows(old);
    Map<String, Row> after = rows(now);
    List<Change> changes = new ArrayList<>();
    before.forEach((id, row) -> changes.add(change(row, after.get(id), level)));
    after.forEach(
        (id, row) -> {
          if (!before.containsKey(id)) {
            changes.add(change(null, row, level));
          }
        });
    // What cannot be measured here has no figures in either.
    changes.removeIf(change -> change.before() == null && change.after() == null);
    return new Comparison(level, differences(old, now), changes);
  }

  /** Whether a figure became worse, and chance does not explain it. */
  public boolean isWorse() {
    return changes.stream().anyMatch(change -> change.outcome() == Outcome.WORSE);
  }

  private static Map<String, Row> rows(PaperReport report) {
    Map<String, Row> rows = new LinkedHashMap<>();
    report.tables().forEach(table -> table.rows().forEach(row -> rows.put(row.id(), row)));
    return rows;
  }

  private static Change change(@Nullable Row old, @Nullable Row now, double level) {
    Row known = now == null ? old : now;
    if (known == null) {
      throw new IllegalArgumentException("a change is of a row");
    }
    Double before = median(old);
    Double after = median(now);
    if (old == null || now == null || before == null || after == null) {
      return new Change(
          known.id(), known.what(), known.unit(), before, after, null, Outcome.NOT_IN_BOTH);
    }
    double p = RankTest.p(Verdict.array(old.values()), Verdict.array(now.values()));
    return new Change(
        known.id(),
        known.what(),
        known.unit(),
        before,
        after,
        p,
        outcome(old, now, before, after, p, level));
  }

  private static @Nullable Double median(@Nullable Row row) {
    return row == null || row.ours() == null ? null : row.ours().median();
  }

  private static Outcome outcome(
      Row old, Row now, double before, double after, double p, double level) {
    if (RankTest.least(old.values().size(), now.values().size()) > level) {
      return Outcome.TOO_FEW;
    }
    if (p > level || before == after) {
      return Outcome.NOT_SIGNIFICANT;
    }
    return now.better().than(after, before) ? Outcome.BETTER : Outcome.WORSE;
  }

  private static List<String> differences(PaperReport old, PaperReport now) {
    List<String> differences = new ArrayList<>();
    difference("machine", machine(old), machine(now), differences);
    difference("program", old.environment().palinode(), now.environment().palinode(), differences);
    difference("size", old.size(), now.size(), differences);
    difference("seed", Long.toString(old.seed()), Long.toString(now.seed()), differences);
    return differences;
  }

  private static String machine(PaperReport report) {
    Environment on = report.environment();
    return "%s; %s; %d cores, %,d MiB, heap %,d MiB"
        .formatted(on.jvm(), on.os(), on.cores(), on.memoryBytes() >> 20, on.heapBytes() >> 20);
  }

  private static void difference(String what, String old, String now, List<String> differences) {
    if (!old.equals(now)) {
      differences.add("%s: %s, now %s".formatted(what, old, now));
    }
  }

  @Override
  public String table() {
    TextTable table =
        new TextTable(
            TextTable.Align.RIGHT, List.of("", "unit", "old", "new", "change", "p", "outcome"));
    for (Change change : changes) {
      table.row(
          List.of(
              change.what(),
              change.unit(),
              number(change.before()),
              number(change.after()),
              changed(change),
              change.p() == null ? "-" : String.format(Locale.ROOT, "%.3f", change.p()),
              change.outcome().text));
    }
    StringBuilder text = new StringBuilder();
    differences.forEach(
        difference -> text.append("the reports differ in the ").append(difference).append('\n'));
    return text.append(text.isEmpty() ? "" : "\n").append(table.render()).toString();
  }

  private static String number(@Nullable Double value) {
    return value == null ? "-" : PaperReport.Figures.number(value);
  }

  private static String changed(Change change) {
    Double before = change.before();
    Double after = change.after();
    return before == null || after == null
        ? "-"
        : (after > before ? "+" : "") + PaperReport.Figures.number(after - before);
  }
}
