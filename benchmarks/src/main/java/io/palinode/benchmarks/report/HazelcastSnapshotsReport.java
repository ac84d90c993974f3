package io.palinode.benchmarks.report;

import io.palinode.benchmarks.hazelcast.HazelcastBenchmark.Size;
import io.palinode.benchmarks.hazelcast.HazelcastSnapshots.Kind;
import io.palinode.benchmarks.hazelcast.HazelcastSnapshots.Log;
import io.palinode.benchmarks.hazelcast.HazelcastSnapshots.Results;
import io.palinode.benchmarks.stock.AgentBenchmark.Setting;
import io.palinode.terminal.Output;
import io.palinode.terminal.TextTable;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What was measured; its components are the JSON output. */
public record HazelcastSnapshotsReport(
    String machine,
    Setting setting,
    Size size,
    List<Row> rows,
    Log log,
    double reachSeconds,
    boolean isReachMet)
    implements Output.Report {
  /** What clients of Hazelcast lose in the paper in the second of a snapshot. */
  private static final double GOAL_LOST_PERCENT = 7.3;

  /** How long a snapshot of an hour ago takes there. */
  private static final double GOAL_HOUR_MS = 45_000;

  private static final int HOUR_SECONDS = 3_600;
  private static final long REACH_BYTES = 2L << 30;
  private static final double PERCENT = 100;

  /**
   * A kind of snapshot.
   *
   * @param goal null: it has none
   */
  public record Row(Kind kind, @Nullable Verdict goal) {
    private static Row of(Kind kind) {
      Integer back = kind.secondsBack();
      if (back == null) {
        return new Row(kind, null);
      }
      if (back >= HOUR_SECONDS) {
        return new Row(kind, kind.taken().ms() <= GOAL_HOUR_MS ? Verdict.MET : Verdict.MISSED);
      }
      return new Row(kind, Verdict.of(kind.first(), GOAL_LOST_PERCENT / PERCENT));
    }

    private List<String> cells() {
      return List.of(
          name(kind.secondsBack()),
          "%,d".formatted(kind.taken().keys()),
          "%,.0f".formatted(kind.taken().ms()),
          "%,.0f".formatted(kind.operationsPerSecond()),
          "%.1f %%".formatted(PERCENT * kind.first().median()),
          "%.1f … %.1f".formatted(PERCENT * kind.first().from(), PERCENT * kind.first().to()),
          "%.1f %%".formatted(PERCENT * kind.next().median()),
          "%.1f … %.1f".formatted(PERCENT * kind.next().from(), PERCENT * kind.next().to()),
          goal == null ? "" : goal.text());
    }

    private static String name(@Nullable Integer secondsBack) {
      if (secondsBack == null) {
        return "none";
      }
      return secondsBack == 0 ? "now" : "%,d s back".formatted(secondsBack);
    }
  }

  public static HazelcastSnapshotsReport of(Setting setting, Size size, Results results) {
    double reach = results.log().reachSeconds(REACH_BYTES);
    return new HazelcastSnapshotsReport(
        Machine.text(),
        setting,
        size,
        results.kinds().stream().map(Row::of).toList(),
        results.log(),
        reach,
        reach >= HOUR_SECONDS);
  }

  @Override
  public String table() {
    TextTable table =
        new TextTable(
            TextTable.Align.RIGHT,
            List.of(
                "snapshot",
                "keys",
                "ms",
                "changes/s before",
                "lost in the first round",
                "from … to",
                "in the next",
                "from … to",
                "goal: %.1f %%, an hour back 45 s".formatted(GOAL_LOST_PERCENT)));
    rows.forEach(row -> table.row(row.cells()));
    return String.format(
        Locale.ROOT,
        "%s%n%s, %,d keys, values of %d bytes; %d clients that only write; %d snapshots a kind, rounds of %.1f s; seed %d%n%n%s%n%s",
        machine,
        size.members() == 1 ? "1 member" : size.members() + " members",
        setting.load().keys(),
        setting.load().valueBytes(),
        setting.load().clients(),
        setting.rounds().rounds(),
        setting.rounds().roundSeconds(),
        setting.seed(),
        table.render(),
        reach());
  }

  private String reach() {
    return String.format(
        Locale.ROOT,
        "window-log: %.0f bytes a change; at %,.0f changes/s a member's 2 GiB reach back %,.0f min; goal 60 min: %s%s%n",
        log.bytesPerChange(),
        log.changesPerSecond(),
        reachSeconds / 60,
        isReachMet ? "met" : "missed",
        isReachMet
            ? ""
            : ", met up to %,.0f changes/s"
                .formatted(log.changesPerSecond() * reachSeconds / HOUR_SECONDS));
  }
}
