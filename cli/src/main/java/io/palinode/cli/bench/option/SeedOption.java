package io.palinode.cli.bench.option;

import picocli.CommandLine.Option;

/** The seed of a benchmark. A picocli mixin. */
public final class SeedOption {
  @Option(
      names = "--seed",
      defaultValue = "1",
      paramLabel = "N",
      description = "Seed of the random choices (default: ${DEFAULT-VALUE}).")
  private long value;

  public long value() {
    return value;
  }
}
