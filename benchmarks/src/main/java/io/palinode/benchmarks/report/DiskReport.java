package io.palinode.benchmarks.report;

import io.palinode.benchmarks.windowlog.DiskBenchmark;
import io.palinode.benchmarks.windowlog.DiskBenchmark.AppendFigures;
import io.palinode.benchmarks.windowlog.DiskBenchmark.DiffFigures;
import io.palinode.benchmarks.windowlog.DiskBenchmark.Kind;
import io.palinode.benchmarks.windowlog.DiskBenchmark.ReachFigures;
import io.palinode.benchmarks.windowlog.DiskBenchmark.Result;
import io.palinode.terminal.DurationText;
import io.palinode.terminal.Output;
import io.palinode.terminal.TextTable;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** What it costs to keep a window-log on disk; its components are the JSON output. */
public record DiskReport(String machine, int entries, int rounds, long seed, Result result)
    implements Output.Report {

  @Override
  public String table() {
    TextTable appends =
        new TextTable(TextTable.Align.RIGHT, List.of("append", "ns", "times", "allocated, bytes"));
    double memory = of(Kind.MEMORY).nanos();
    row(appends, "in memory", of(Kind.MEMORY), memory);
    row(appends, "on disk too", of(Kind.DISK), memory);
    row(appends, "by a system call each", of(Kind.CALLS), memory);
    TextTable diffs =
        new TextTable(
            TextTable.Align.RIGHT, List.of("difference, ns a change", "memory", "disk", "times"));
    for (DiffFigures each : result.diffs()) {
      diffs.row(
          List.of(
              number("%,.0f", each.entries()),
              number("%.1f", each.memoryNanos()),
              number("%.1f", each.diskNanos()),
              number("%.1f", each.diskNanos() / each.memoryNanos())));
    }
    ReachFigures reach = result.reach();
    return "%s; %,d entries; seed %d%n%n%s%n%s%n"
            .formatted(machine, entries, seed, appends.render(), diffs.render())
        + String.format(
            Locale.ROOT,
            "reach at %,d changes/s, keys and values of 16/100 bytes, bounds of %,d MiB each: memory %,.0f s, disk %,.0f s; opened again in %.0f ms%n"
                + "the same, what is older than %s by steps of %s: disk %,.0f s, %.1f times%n",
            reach.changesASecond(),
            reach.bytesMax() >> 20,
            reach.memorySeconds(),
            reach.diskSeconds(),
            reach.openMillis(),
            DurationText.of(DiskBenchmark.EXACT.toSeconds()),
            DurationText.of(DiskBenchmark.GRANULARITY.toSeconds()),
            reach.compactedSeconds(),
            reach.compactedSeconds() / reach.diskSeconds());
  }

  private AppendFigures of(Kind kind) {
    return Objects.requireNonNull(result.appends().get(kind));
  }

  private static void row(TextTable table, String name, AppendFigures figures, double memory) {
    table.row(
        List.of(
            name,
            number("%,.0f", figures.nanos()),
            number("%.1f", figures.nanos() / memory),
            number("%.1f", figures.allocatedBytes())));
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
