package io.palinode.cli.chaos;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.palinode.cli.terminal.ApiClient;
import io.palinode.cli.terminal.DurationText;
import io.palinode.cli.terminal.Output;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What was done, and what came of it.
 *
 * @param ownEnds how often a part ended without having been killed, and was started again
 * @param halts rollbacks that could not go on, and were abandoned
 * @param faults what must not be, in words
 */
record ChaosReport(
    long seconds,
    long seed,
    int nodes,
    Map<String, Integer> kills,
    Map<String, Integer> freezes,
    int ownEnds,
    WriteLedger.Counts writes,
    MadeViolations.Outcome violations,
    long rollbacks,
    int halts,
    List<String> faults)
    implements Output.Report {

  boolean holds() {
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
    line(text, "ran", "%s, %d nodes, seed %d".formatted(DurationText.of(seconds), nodes, seed));
    line(text, "killed", times(kills));
    line(text, "frozen", times(freezes));
    line(text, "restarted", ownEnds + " times because a part had ended by itself");
    line(
        text,
        "writes",
        "%,d acknowledged, %,d of them discarded; %,d without an answer"
            .formatted(writes.acknowledged(), writes.takenBack(), writes.unanswered()));
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
    line(text, "rollbacks", "%d, %d of them halted and abandoned".formatted(rollbacks, halts));
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
