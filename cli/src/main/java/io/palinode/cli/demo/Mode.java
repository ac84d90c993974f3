package io.palinode.cli.demo;

/** A way to run the application. */
public enum Mode {
  /** Every replica has each write before the writer goes on. */
  SEQUENTIAL(false, false, true),
  /** The nearest replica's word is enough. */
  EVENTUAL(false, false, false),
  /** Eventual, and what goes wrong is told, but stands. */
  ALERTING(true, false, false),
  /** Eventual, and what went wrong is taken back. */
  WATCHED(true, true, true);

  private final boolean watched;
  private final boolean takesBack;
  private final boolean mustBeRight;

  Mode(boolean watched, boolean takesBack, boolean mustBeRight) {
    this.watched = watched;
    this.takesBack = takesBack;
    this.mustBeRight = mustBeRight;
  }

  boolean watched() {
    return watched;
  }

  /** Whether a violation is rolled back. */
  boolean takesBack() {
    return takesBack;
  }

  /** Whether a wrong answer is a failure of the demo. */
  boolean mustBeRight() {
    return mustBeRight;
  }

  String label() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
