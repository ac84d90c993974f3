package io.palinode.cli.bench.paper;

/** The user has stopped the run. */
final class StoppedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StoppedException() {
    super("interrupted");
  }
}
