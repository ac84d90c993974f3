package io.palinode.demo.report;

import io.palinode.demo.watch.RuleResult;
import io.palinode.terminal.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The demo's table: a row a figure, a column a mode. */
final class ResultTable {
  private static final int CHANGES_MAX = 60;

  private ResultTable() {}

  static String render(List<ModeResult> results) {
    List<String> header = new ArrayList<>(List.of(""));
    results.forEach(r -> header.add(r.mode()));
    TextTable table = new TextTable(TextTable.Align.RIGHT, header);
    row(table, "store settings", results, ModeResult::storeSettings);
    row(table, "operations/s", results, r -> number(r.work().operationsPerSecond()));
    row(table, "tasks/s", results, r -> number(r.work().tasksPerSecond()));
    row(table, "time to finish, s", results, r -> number(r.work().elapsedSeconds()));
    row(
        table,
        "CPU per operation, us",
        results,
        r -> number(r.work().cpuMicrosPerOperation().getOrDefault("process", 0.0)));
    row(
        table,
        "violations detected",
        results,
        r -> watched(r) ? Long.toString(r.detected().violations()) : "-");
    row(
        table,
        "hand-overs within epsilon",
        results,
        r -> watched(r) ? Long.toString(r.detected().uncertainReports()) : "-");
    row(table, "violations that really happened", results, ResultTable::happened);
    row(table, "precision", results, r -> share(r.detected().accuracy().precision()));
    row(table, "recall", results, r -> share(r.detected().accuracy().recall()));
    row(
        table,
        "rollbacks",
        results,
        r -> watched(r) ? Long.toString(r.rolledBack().rollbacks()) : "-");
    row(
        table,
        "detection latency p50, ms",
        results,
        r -> latency(r, ModeResult.DetectionLatency::p50));
    row(
        table,
        "detection latency p99, ms",
        results,
        r -> latency(r, ModeResult.DetectionLatency::p99));
    row(
        table,
        "detection latency p99.9, ms",
        results,
        r -> latency(r, ModeResult.DetectionLatency::p999));
    row(
        table,
        "detection latency max, ms",
        results,
        r -> latency(r, ModeResult.DetectionLatency::max));
    row(
        table,
        "rollback time p50, ms",
        results,
        r -> r.rolledBack().timeMs() == null ? "-" : number(r.rolledBack().timeMs().p50()));
    row(
        table,
        "rollback time max, ms",
        results,
        r -> r.rolledBack().timeMs() == null ? "-" : number(r.rolledBack().timeMs().max()));
    row(table, "wasted work, operations", results, ResultTable::wasted);
    row(table, "answer is a proper colouring", results, ResultTable::answer);
    return table.render() + rules(results) + antiStall(results);
  }

  /** How rollbacks made clients use keys sequentially, and what came of it; else nothing. */
  private static String antiStall(List<ModeResult> results) {
    StringBuilder text = new StringBuilder();
    for (ModeResult result : results) {
      if (!result.rolledBack().antiStall().isEmpty()) {
        text.append('\n').append(changes(result)).append(compared(result, results));
      }
    }
    return text.toString();
  }

  private static String changes(ModeResult result) {
    TextTable table =
        new TextTable(
            TextTable.Align.RIGHT,
            List.of(result.mode() + ": at, s", "rollbacks", "R+W>N for", "of"));
    int more = Math.max(0, result.rolledBack().antiStall().size() - CHANGES_MAX);
    for (AntiStallChange change :
        result.rolledBack().antiStall().subList(more, result.rolledBack().antiStall().size())) {
      table.row(
          List.of(
              String.format(Locale.ROOT, "%.1f", change.seconds()),
              Long.toString(change.rollbacks()),
              change.allKeys() ? "all keys" : change.keys() == 0 ? "none" : change.keys() + " keys",
              change.instances() == 0 ? "" : change.instances() + " instances"));
    }
    return table.render() + (more == 0 ? "" : "(and %d changes before)%n".formatted(more));
  }

  private static String compared(ModeResult result, List<ModeResult> results) {
    return results.stream()
        .filter(other -> other.mode().equals(Mode.SEQUENTIAL.label()))
        .map(
            other ->
                String.format(
                    Locale.ROOT,
                    "%s: %s tasks/s, %.2f times those of %s%n",
                    result.mode(),
                    number(result.work().tasksPerSecond()),
                    result.work().tasksPerSecond() / other.work().tasksPerSecond(),
                    other.mode()))
        .collect(Collectors.joining());
  }

  /** The reports by each rule, if the table above does not show them; else empty. */
  private static String rules(List<ModeResult> results) {
    TextTable table =
        new TextTable(
            TextTable.Align.RIGHT,
            List.of(
                "", "replicas", "grade", "reports", "precision", "recall, or greater", "phantoms"));
    boolean any = false;
    for (ModeResult result : results) {
      if (result.mode().equals(Mode.ALERTING.label()) || result.detected().rules().size() > 1) {
        result.detected().rules().forEach(rule -> rule(table, result.mode(), rule));
        any = true;
      }
    }
    return any ? "\n" + table.render() : "";
  }

  private static void rule(TextTable table, String mode, RuleResult rule) {
    String phantoms = rule.phantoms() == null ? "-" : rule.phantoms().toString();
    for (RuleResult.GradeResult grade : rule.grades()) {
      boolean last = grade.equals(rule.grades().get(rule.grades().size() - 1));
      table.row(
          List.of(
              mode,
              rule.replicas(),
              grade.grade(),
              Long.toString(grade.reports()),
              share(grade.precision()),
              share(grade.recall()),
              last ? phantoms : ""));
    }
  }

  private static void row(
      TextTable table, String label, List<ModeResult> results, Function<ModeResult, String> cell) {
    List<String> cells = new ArrayList<>(List.of(label));
    results.forEach(r -> cells.add(cell.apply(r)));
    table.row(cells);
  }

  private static boolean watched(ModeResult result) {
    return Mode.valueOf(result.mode().toUpperCase(Locale.ROOT)).watched();
  }

  private static String latency(
      ModeResult result, Function<ModeResult.DetectionLatency, Double> figure) {
    return result.detected().latencyMs() == null
        ? "-"
        : number(figure.apply(result.detected().latencyMs()));
  }

  /**
   * Sure ones; and how many more there may have been, since a clock outside cannot see when a write
   * took effect.
   */
  private static String happened(ModeResult r) {
    return r.detected().accuracy().possibleViolations() == 0
        ? Long.toString(r.detected().accuracy().trueViolations())
        : r.detected().accuracy().trueViolations()
            + " to "
            + (r.detected().accuracy().trueViolations()
                + r.detected().accuracy().possibleViolations());
  }

  private static String wasted(ModeResult r) {
    return watched(r) && r.work().operations() > 0
        ? "%d (%.1f %%)"
            .formatted(
                r.rolledBack().wastedOperations(),
                100.0 * r.rolledBack().wastedOperations() / r.work().operations())
        : "-";
  }

  private static String answer(ModeResult r) {
    return r.answer().isRight()
        ? "yes"
        : "NO: "
            + r.answer().improperEdges()
            + (r.answer().improperEdges() == 1 ? " edge" : " edges");
  }

  private static String share(@Nullable Double value) {
    return value == null ? "-" : String.format(Locale.ROOT, "%.1f %%", 100 * value);
  }

  private static String number(double value) {
    return String.format(
        Locale.ROOT, value >= 100 ? "%,.0f" : value >= 10 ? "%.1f" : "%.2f", value);
  }
}
