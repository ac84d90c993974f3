package io.palinode.benchmarks.report;

import io.palinode.benchmarks.stock.AgentBenchmark.Kind;
import io.palinode.benchmarks.stock.AgentBenchmark.Mode;
import io.palinode.benchmarks.stock.AgentBenchmark.Setting;
import io.palinode.benchmarks.stock.Comparison;
import io.palinode.terminal.Output;
import java.util.List;
import java.util.Locale;

/**
 * What was measured; its components are the JSON output.
 *
 * @param of where the agent was, and whose processor time it is
 * @param client whose they were
 */
public record AgentReport(
    String machine, Of of, Kind client, Setting setting, List<ModeRow<Mode>> rows)
    implements Output.Report {
  private static final double GOAL_PERCENT = 4;

  /** Where the agent is that is measured. */
  public enum Of {
    SERVER,
    CLIENT
  }

  public static AgentReport of(
      Of of, Kind client, Setting setting, List<Comparison<Mode>> results) {
    List<ModeRow<Mode>> rows = ModeRow.of(results, Mode.NONE, mode -> GOAL_PERCENT);
    return new AgentReport(Machine.text(), of, client, setting, rows);
  }

  @Override
  public String table() {
    return String.format(
        Locale.ROOT,
        "%s%n%,d keys, values of %d bytes; %d clients, %s; %d rounds of %.1f s of each; seed %d%n%n%s",
        machine,
        setting.load().keys(),
        setting.load().valueBytes(),
        setting.load().clients(),
        client == Kind.OURS ? "ours" : "Voldemort's own",
        setting.rounds().rounds(),
        setting.rounds().roundSeconds(),
        setting.seed(),
        ModeRow.table(
            rows,
            List.of(
                "agent",
                of.name().toLowerCase(Locale.ROOT) + "'s CPU µs",
                "goal: at most %.0f %% lost".formatted(GOAL_PERCENT)),
            this::name));
  }

  private String name(Mode mode) {
    return switch (mode) {
      case NONE -> "none";
      case AGENT -> of == Of.CLIENT ? "in the client" : "no predicate";
      case PREDICATES -> "a predicate";
    };
  }
}
