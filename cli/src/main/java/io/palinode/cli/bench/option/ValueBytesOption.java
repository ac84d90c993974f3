package io.palinode.cli.bench.option;

import picocli.CommandLine.Option;

/** The length of the values that a benchmark writes. A picocli mixin. */
public final class ValueBytesOption {
  @Option(
      names = "--value-bytes",
      defaultValue = "100",
      paramLabel = "N",
      description = "Length of a value (default: ${DEFAULT-VALUE}).")
  private int value;

  public int value() {
    return value;
  }
}
