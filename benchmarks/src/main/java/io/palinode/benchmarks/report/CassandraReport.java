package io.palinode.benchmarks.report;

import io.palinode.benchmarks.stock.AgentBenchmark.Setting;
import io.palinode.benchmarks.stock.Comparison;
import io.palinode.benchmarks.stock.WatchMode;
import io.palinode.terminal.Output;
import java.util.List;
import java.util.Locale;

/**
 * What was measured; its components are the JSON output.
 *
 * @param rollback whether mutations of the watched table were logged
 */
public record CassandraReport(
    String machine, boolean rollback, Setting setting, List<ModeRow<WatchMode>> rows)
    implements Output.Report {
  private static final double GOAL_UNWATCHED_PERCENT = 1;
  private static final double GOAL_WATCHED_PERCENT = 15;

  public static CassandraReport of(
      boolean rollback, Setting setting, List<Comparison<WatchMode>> results) {
    List<ModeRow<WatchMode>> rows =
        ModeRow.of(
            results,
            WatchMode.NONE,
            mode -> mode == WatchMode.UNWATCHED ? GOAL_UNWATCHED_PERCENT : GOAL_WATCHED_PERCENT);
    return new CassandraReport(Machine.text(), rollback, setting, rows);
  }

  @Override
  public String table() {
    return String.format(
        Locale.ROOT,
        "%s%n%,d keys, values of %d bytes; %d clients; rollback: %s; %d rounds of %.1f s of each; seed %d%n%n%s",
        machine,
        setting.load().keys(),
        setting.load().valueBytes(),
        setting.load().clients(),
        rollback,
        setting.rounds().rounds(),
        setting.rounds().roundSeconds(),
        setting.seed(),
        ModeRow.table(
            rows,
            List.of(
                "table",
                "server's CPU µs",
                "goal: at most %.0f %%, watched %.0f %%"
                    .formatted(GOAL_UNWATCHED_PERCENT, GOAL_WATCHED_PERCENT)),
            CassandraReport::name));
  }

  private static String name(WatchMode mode) {
    return switch (mode) {
      case NONE -> "stock server";
      case UNWATCHED -> "not watched";
      case WATCHED -> "watched";
      case PREDICATE -> "a predicate";
    };
  }
}
