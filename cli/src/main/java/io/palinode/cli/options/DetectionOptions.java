package io.palinode.cli.options;

import io.palinode.detection.DetectionLimits;
import io.palinode.monitor.flink.DetectionSettings;
import io.palinode.terminal.Refusal;
import picocli.CommandLine.Option;

/** Limits of detection. The monitor publishes a coverage gap for all that exceeds one. */
public final class DetectionOptions {
  @Option(
      names = "--intervals-max",
      defaultValue = "100000",
      paramLabel = "N",
      description =
          "Intervals kept of an instance; then the oldest goes unjudged (default:"
              + " ${DEFAULT-VALUE}).")
  private int intervalsMax;

  @Option(
      names = "--reports-max",
      defaultValue = "100000",
      paramLabel = "N",
      description =
          "Reports of an instance that are followed while their grade may rise (default:"
              + " ${DEFAULT-VALUE}).")
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
          "Instances of a predicate that are kept at once; then no other begins (default:"
              + " ${DEFAULT-VALUE}).")
  private int instancesMax;

  @Option(
      names = "--count-phantoms",
      description = {
        "Count also what predicates with 'replicas: first' would report with 'any'.",
        "Detection of them takes about twice as much."
      })
  private boolean countPhantoms;

  /** Throws {@link Refusal} for one that makes no sense. */
  public DetectionSettings settings() {
    requirePositive("--intervals-max", intervalsMax);
    requirePositive("--reports-max", reportsMax);
    requirePositive("--search-steps-max", searchStepsMax);
    requirePositive("--instances-max", instancesMax);
    return new DetectionSettings(
        new DetectionLimits(intervalsMax, reportsMax, searchStepsMax), instancesMax, countPhantoms);
  }

  private static void requirePositive(String option, long value) {
    if (value < 1) {
      throw new Refusal("%s must be at least 1: %d".formatted(option, value));
    }
  }
}
