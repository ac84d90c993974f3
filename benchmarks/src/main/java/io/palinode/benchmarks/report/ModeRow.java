package io.palinode.benchmarks.report;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.palinode.benchmarks.Side;
import io.palinode.benchmarks.stock.Comparison;
import io.palinode.benchmarks.stock.Comparison.Beside;
import io.palinode.terminal.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A mode of a server under one load.
 *
 * @param <M> the modes
 * @param goal null: the mode has none
 */
record ModeRow<M>(
    int writePercent, M mode, Side side, @JsonUnwrapped Cost cost, @Nullable Verdict goal) {

  /**
   * The rows of each load, the mode without Palinode first.
   *
   * @param goalPercent of throughput that a mode may lose; null: no goal
   */
  static <M> List<ModeRow<M>> of(
      List<Comparison<M>> results, M none, Function<M, @Nullable Double> goalPercent) {
    List<ModeRow<M>> rows = new ArrayList<>();
    for (Comparison<M> each : results) {
      rows.add(new ModeRow<>(each.writePercent(), none, each.none(), Cost.none(each), null));
      for (Beside<M> beside : each.others()) {
        Cost cost = Cost.of(beside);
        Double goal = goalPercent.apply(beside.mode());
        rows.add(
            new ModeRow<>(
                each.writePercent(),
                beside.mode(),
                beside.side(),
                cost,
                goal == null ? null : cost.verdict(goal)));
      }
    }
    return rows;
  }

  /**
   * @param heads of the columns with the mode, the processor time and the goal
   */
  static <M> String table(List<ModeRow<M>> rows, List<String> heads, Function<M, String> name) {
    TextTable table =
        new TextTable(
            TextTable.Align.RIGHT,
            List.of(
                "writes",
                heads.get(0),
                "operations/s",
                "p50 ms",
                "p99 ms",
                heads.get(1),
                "throughput lost",
                "from … to",
                "CPU added",
                "from … to",
                heads.get(2)));
    for (ModeRow<M> row : rows) {
      List<String> cells = new ArrayList<>();
      cells.add(row.writePercent + " %");
      cells.add(name.apply(row.mode));
      cells.addAll(Numbers.cells(row.side));
      cells.addAll(row.cost.cells());
      cells.add(row.goal == null ? "" : row.goal.text());
      table.row(cells);
    }
    return table.render();
  }
}
