package io.palinode.demo.report;

/** A way to run the application. */
public enum Mode {
  /** Every replica has each write before the writer continues. */
  SEQUENTIAL(false, false, true),
  /** The nearest replica's acknowledgement suffices. */
  EVENTUAL(false, false, false),
  /** Eventual; violations are reported, and stand. */
  ALERTING(true, false, false),
  /** Eventual; violations are rolled back. */
  WATCHED(true, true, true);

  private final boolean watched;
  private final boolean takesBack;
  private final boolean mustBeRight;

  Mode(boolean watched, boolean takesBack, boolean mustBeRight) {
    this.watched = watched;
    this.takesBack = takesBack;
    this.mustBeRight = mustBeRight;
  }

  public boolean watched() {
    return watched;
  }

  /** Whether a violation is rolled back. */
  public boolean takesBack() {
    return takesBack;
  }

  /** Whether a wrong answer is a failure of the demo. */
  boolean mustBeRight() {
    return mustBeRight;
  }

  public String label() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
