package io.palinode.cli;

/** What a command prints on standard output. */
public enum OutputFormat {
  TABLE,
  JSON
}
