package io.palinode.cli.terminal;

/** What a command prints on standard output. */
public enum OutputFormat {
  TABLE,
  JSON
}
