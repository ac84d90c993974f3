package io.palinode.cli.options;

import io.palinode.detection.DetectionLimits;
import io.palinode.monitor.flink.detection.DetectionSettings;
import io.palinode.terminal.DurationText;
import io.palinode.terminal.Refusal;
import java.time.Duration;
import picocli.CommandLine.Option;

/** Limits of detection. The monitor publishes a coverage gap for all that exceeds one. */
public final class DetectionOptions {
  @Option(
      names = "--intervals-max",
      defaultValue = "100000",
      paramLabel = "N",
      description =
          "Intervals of an instance; beyond that the oldest is not judged (default:"
              + " ${DEFAULT-VALUE}).")
  private int intervalsMax;

  @Option(
      names = "--reports-max",
      defaultValue = "100000",
      paramLabel = "N",
      description =
          "Violations of an instance whose grade may still rise (default: ${DEFAULT-VALUE}).")
  private int reportsMax;

  @Option(
      names = "--search-steps-max",
      defaultValue = "1000000",
      paramLabel = "N",
      description = "Steps of one search for a violation (default: ${DEFAULT-VALUE}).")
  private long searchStepsMax;

  @Option(
      names = "--instances-max",
      defaultValue = "100000",
      paramLabel = "N",
      description =
          "Instances of a predicate at one time; further ones are not judged (default:"
              + " ${DEFAULT-VALUE}).")
  private int instancesMax;

  @Option(
      names = "--count-phantoms",
      description = {
        "Also count the phantoms that predicates with 'replicas: first' would have with 'any'.",
        "Detection then takes about twice as much CPU time."
      })
  private boolean countPhantoms;

  @Option(
      names = "--skip-after",
      converter = DurationText.class,
      defaultValue = "5m",
      paramLabel = "DURATION",
      description = {
        "How long judgement waits for a node that publishes nothing (default: ${DEFAULT-VALUE}).",
        "Then it continues without the node, with a coverage gap, until the node restarts.",
        "At least 10s; 0s: it waits for ever. Needs a majority of other nodes."
      })
  private Duration skipAfter = DetectionSettings.SKIP_AFTER_DEFAULT;

  /** Throws {@link Refusal} for one that makes no sense. */
  public DetectionSettings settings() {
    requirePositive("--intervals-max", intervalsMax);
    requirePositive("--reports-max", reportsMax);
    requirePositive("--search-steps-max", searchStepsMax);
    requirePositive("--instances-max", instancesMax);
    if (!skipAfter.isZero() && skipAfter.compareTo(DetectionSettings.SKIP_AFTER_MIN) < 0) {
      throw new Refusal(
          "--skip-after must be 0s or at least 10s: %d ms".formatted(skipAfter.toMillis()));
    }
    return new DetectionSettings(
        new DetectionLimits(intervalsMax, reportsMax, searchStepsMax),
        instancesMax,
        countPhantoms,
        skipAfter);
  }

  private static void requirePositive(String option, long value) {
    if (value < 1) {
      throw new Refusal("%s must be at least 1: %d".formatted(option, value));
    }
  }
}
