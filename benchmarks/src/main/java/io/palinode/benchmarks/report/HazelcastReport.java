package io.palinode.benchmarks.report;

import io.palinode.benchmarks.stock.AgentBenchmark.Setting;
import io.palinode.benchmarks.stock.Comparison;
import io.palinode.benchmarks.stock.WatchMode;
import io.palinode.terminal.Output;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What was measured; its components are the JSON output. */
public record HazelcastReport(
    String machine, Setting setting, int members, List<ModeRow<WatchMode>> rows)
    implements Output.Report {
  /** What Retroscope's window-log costs Hazelcast in the paper. */
  private static final double GOAL_WATCHED_PERCENT = 7.8;

  /** What its clocks cost there, which only operations between members carry. */
  private static final double GOAL_CLOCKS_PERCENT = 3.9;

  public static HazelcastReport of(
      Setting setting, int members, List<Comparison<WatchMode>> results) {
    return new HazelcastReport(
        Machine.text(),
        setting,
        members,
        ModeRow.of(results, WatchMode.NONE, mode -> goalPercent(mode, members)));
  }

  private static @Nullable Double goalPercent(WatchMode mode, int members) {
    return switch (mode) {
      case WATCHED -> GOAL_WATCHED_PERCENT;
      case UNWATCHED -> members > 1 ? GOAL_CLOCKS_PERCENT : null;
      case NONE, PREDICATE -> null;
    };
  }

  @Override
  public String table() {
    return String.format(
        Locale.ROOT,
        "%s%n%s, %,d keys, values of %d bytes; %d clients; %d rounds of %.1f s of each; seed %d%n%n%s",
        machine,
        members == 1 ? "1 member" : "clusters of %d members".formatted(members),
        setting.load().keys(),
        setting.load().valueBytes(),
        setting.load().clients(),
        setting.rounds().rounds(),
        setting.rounds().roundSeconds(),
        setting.seed(),
        ModeRow.table(
            rows,
            List.of(
                "map",
                "members' CPU µs",
                members == 1
                    ? "goal: at most %.1f %%".formatted(GOAL_WATCHED_PERCENT)
                    : "goal: at most %.1f and %.1f %%"
                        .formatted(GOAL_CLOCKS_PERCENT, GOAL_WATCHED_PERCENT)),
            HazelcastReport::name));
  }

  private static String name(WatchMode mode) {
    return switch (mode) {
      case NONE -> "stock member";
      case UNWATCHED -> "not watched";
      case WATCHED -> "watched";
      case PREDICATE -> "a predicate";
    };
  }
}
