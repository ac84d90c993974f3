package io.palinode.benchmarks.report;

import io.palinode.benchmarks.SnapshotBenchmark.Cost;
import io.palinode.benchmarks.SnapshotBenchmark.Result;
import io.palinode.benchmarks.SnapshotBenchmark.Results;
import io.palinode.benchmarks.SnapshotBenchmark.Setting;
import io.palinode.terminal.Output;
import io.palinode.terminal.TextTable;
import java.util.List;
import java.util.Locale;

/** What was measured; its components are the JSON output. */
public record SnapshotReport(String machine, Setting setting, Results results)
    implements Output.Report {
  public static SnapshotReport of(Setting setting, Results results) {
    return new SnapshotReport(Machine.text(), setting, results);
  }

  @Override
  public String table() {
    TextTable table =
        new TextTable(
            TextTable.Align.RIGHT,
            List.of(
                "snapshot",
                "ms",
                "keys written",
                "MB written",
                "operations/s without",
                "during",
                "dip",
                "from … to",
                "pairs",
                "p99 ms without",
                "during"));
    for (Result result : results.kinds()) {
      table.row(
          List.of(
              result.what(),
              "%,.0f".formatted(result.took().durationMs()),
              "%,d".formatted(result.took().changed()),
              String.format(Locale.ROOT, "%,.1f", result.took().bytes() / 1e6),
              "%,.0f".formatted(result.clients().operationsWithout()),
              "%,.0f".formatted(result.clients().operationsDuring()),
              "%.1f %%".formatted(100 * result.clients().dip().median()),
              "%.1f … %.1f"
                  .formatted(
                      100 * result.clients().dip().from(), 100 * result.clients().dip().to()),
              "%,d".formatted(result.clients().pairs()),
              String.format(Locale.ROOT, "%.2f", result.clients().p99WithoutMs()),
              String.format(Locale.ROOT, "%.2f", result.clients().p99DuringMs())));
    }
    return "%s%n3 nodes, %,d keys of %d bytes on each; %d clients; %d rounds; seed %d%n%n%s%n%s"
        .formatted(
            machine,
            setting.load().keys(),
            setting.load().valueBytes(),
            setting.load().clients(),
            setting.rounds(),
            setting.seed(),
            table.render(),
            costs(results.costs()));
  }

  private static String costs(List<Cost> costs) {
    TextTable table =
        new TextTable(
            TextTable.Align.RIGHT,
            List.of("alone", "writes since", "keys written", "ms", "MB written"));
    for (Cost cost : costs) {
      table.row(
          List.of(
              cost.what(),
              "%,d".formatted(cost.writes()),
              "%,d".formatted(cost.keys()),
              "%,.0f".formatted(cost.ms()),
              String.format(Locale.ROOT, "%,.1f", cost.bytes() / 1e6)));
    }
    return table.render();
  }
}
