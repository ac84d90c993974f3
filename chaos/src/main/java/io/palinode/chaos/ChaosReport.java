package io.palinode.chaos;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.core.JsonProcessingException;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.DurationText;
import io.palinode.terminal.Output;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What was done, and what came of it; its components, unwrapped, are the JSON output.
 *
 * @param faults what must not be, in words
 */
public record ChaosReport(
    @JsonUnwrapped Run run,
    @JsonUnwrapped Strikes strikes,
    Writes writes,
    Foreign foreignWrites,
    MadeViolations.Outcome violations,
    @JsonUnwrapped Rollbacks ended,
    List<String> faults)
    implements Output.Report {

  record Run(long seconds, long seed, int nodes) {}

  /**
   * How often each part was killed and frozen.
   *
   * @param ownEnds how often a part ended without having been killed, and was started again
   * @param afterAcknowledgement the kills of a node right after it acknowledged a write
   * @param afterGap the kills of an orchestrator right after a coverage gap became known
   * @param fullDisks how often the disk of a node was full
   * @param allNodes how often all nodes were killed at once, by the phase of the plan
   */
  public record Strikes(
      Map<String, Integer> kills,
      Map<String, Integer> freezes,
      int ownEnds,
      int afterAcknowledgement,
      int afterGap,
      int fullDisks,
      Map<String, Integer> allNodes) {
    int allKills() {
      return kills.values().stream().mapToInt(Integer::intValue).sum();
    }
  }

  /** How many writes had which end. */
  public record Writes(long acknowledged, long unanswered, long takenBack) {
    Writes plus(Writes other) {
      return new Writes(
          acknowledged + other.acknowledged,
          unanswered + other.unanswered,
          takenBack + other.takenBack);
    }
  }

  /**
   * The writes of a program that does not use the client library.
   *
   * @param inDoubt those that a rollback may have discarded
   */
  public record Foreign(long acknowledged, long inDoubt) {}

  /**
   * @param halts rollbacks that could not go on, and were abandoned
   */
  record Rollbacks(long rollbacks, int halts) {}

  public boolean holds() {
    return faults.isEmpty();
  }

  /** On one line. */
  @Override
  public String json() throws JsonProcessingException {
    return ApiClient.JSON.writeValueAsString(this) + "\n";
  }

  @Override
  public String table() {
    StringBuilder text = new StringBuilder();
    line(
        text,
        "ran",
        "%s, %d nodes, seed %d".formatted(DurationText.of(run.seconds()), run.nodes(), run.seed()));
    line(text, "killed", times(strikes.kills()));
    line(
        text,
        "",
        "%d of them right after the node acknowledged a write"
            .formatted(strikes.afterAcknowledgement()));
    line(
        text,
        "",
        "%d of them an orchestrator right after a coverage gap".formatted(strikes.afterGap()));
    line(text, "all nodes", times(strikes.allNodes()));
    line(text, "frozen", times(strikes.freezes()));
    line(text, "full disks", strikes.fullDisks() + " times");
    line(text, "restarted", strikes.ownEnds() + " times because a part had ended by itself");
    line(
        text,
        "writes",
        "%,d acknowledged, %,d of them discarded; %,d without an answer"
            .formatted(writes.acknowledged(), writes.takenBack(), writes.unanswered()));
    line(
        text,
        "foreign",
        "%,d writes acknowledged without the client library, %,d of them perhaps discarded"
            .formatted(foreignWrites.acknowledged(), foreignWrites.inDoubt()));
    line(
        text,
        "violations",
        "%d made: %d reported, %d discarded before, %d in coverage gaps, %d missed"
            .formatted(
                violations.made(),
                violations.reported(),
                violations.takenBack(),
                violations.inLostCoverage(),
                violations.missed().size()));
    line(
        text,
        "rollbacks",
        "%d, %d of them halted and abandoned".formatted(ended.rollbacks(), ended.halts()));
    faults.forEach(fault -> line(text, "BROKEN", fault));
    if (holds()) {
      line(text, "held", "all that must");
    }
    return text.toString();
  }

  private static void line(StringBuilder text, String name, String what) {
    text.append("%-12s%s%n".formatted(name, what));
  }

  private static String times(Map<String, Integer> byPart) {
    int all = byPart.values().stream().mapToInt(Integer::intValue).sum();
    return all
        + byPart.entrySet().stream()
            .map(entry -> entry.getKey() + " " + entry.getValue())
            .sorted()
            .collect(Collectors.joining(", ", " times (", ")"));
  }
}
