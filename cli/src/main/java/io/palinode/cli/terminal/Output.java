package io.palinode.cli.terminal;

import picocli.CommandLine.Option;

/** In which form a command prints its result; a picocli mixin. */
public final class Output {
  private enum Format {
    TABLE,
    JSON
  }

  @Option(
      names = {"-o", "--output"},
      defaultValue = "table",
      paramLabel = "FORMAT",
      description = "table, for people, or json, which is alone on standard output.")
  private Format format = Format.TABLE;

  /** Whether JSON is asked for, not text. */
  public boolean isJson() {
    return format == Format.JSON;
  }
}
