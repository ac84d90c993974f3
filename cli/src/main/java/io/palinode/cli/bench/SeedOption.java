package io.palinode.cli.bench;

import picocli.CommandLine.Option;

/** The seed of a benchmark. A picocli mixin. */
final class SeedOption {
  @Option(
      names = "--seed",
      defaultValue = "1",
      paramLabel = "N",
      description = "Seed of the random choices (default: ${DEFAULT-VALUE}).")
  private long value;

  long value() {
    return value;
  }
}
