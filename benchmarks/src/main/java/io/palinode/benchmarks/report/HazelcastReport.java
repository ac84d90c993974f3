package io.palinode.benchmarks.report;

import io.palinode.benchmarks.hazelcast.HazelcastBenchmark.Mode;
import io.palinode.benchmarks.stock.AgentBenchmark.Setting;
import io.palinode.benchmarks.stock.Comparison;
import io.palinode.terminal.Output;
import java.util.List;
import java.util.Locale;

/** What was measured; its components are the JSON output. */
public record HazelcastReport(String machine, Setting setting, List<ModeRow<Mode>> rows)
    implements Output.Report {
  /** What Retroscope's window-log costs Hazelcast in the paper. */
  private static final double GOAL_WATCHED_PERCENT = 7.8;

  public static HazelcastReport of(Setting setting, List<Comparison<Mode>> results) {
    return new HazelcastReport(
        Machine.text(),
        setting,
        ModeRow.of(results, Mode.NONE, mode -> mode == Mode.WATCHED ? GOAL_WATCHED_PERCENT : null));
  }

  @Override
  public String table() {
    return String.format(
        Locale.ROOT,
        "%s%n%,d keys, values of %d bytes; %d clients; %d rounds of %.1f s of each; seed %d%n%n%s",
        machine,
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
                "member's CPU µs",
                "goal: watched at most %.1f %%".formatted(GOAL_WATCHED_PERCENT)),
            HazelcastReport::name));
  }

  private static String name(Mode mode) {
    return switch (mode) {
      case NONE -> "stock member";
      case UNWATCHED -> "not watched";
      case WATCHED -> "watched";
      case PREDICATE -> "a predicate";
    };
  }
}
