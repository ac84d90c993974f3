package io.palinode.cli.demo;

/** A way to run the application. */
public enum Mode {
  /** Every replica has each write before the writer goes on. */
  SEQUENTIAL("N=3 R=1 W=3", false, false, true),
  /** The nearest replica's word is enough. */
  EVENTUAL("N=3 R=1 W=1", false, false, false),
  /** Eventual, and what goes wrong is told, but stands. */
  ALERTING("N=3 R=1 W=1", true, false, false),
  /** Eventual, and what went wrong is taken back. */
  WATCHED("N=3 R=1 W=1", true, true, true);

  private final String settings;
  private final boolean watched;
  private final boolean takesBack;
  private final boolean mustBeRight;

  Mode(String settings, boolean watched, boolean takesBack, boolean mustBeRight) {
    this.settings = settings;
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

  String settings() {
    return settings;
  }

  String label() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
