package io.palinode.benchmarks.report;

import io.palinode.benchmarks.Spread;

/** Whether a goal is met, as far as the rounds show. */
public enum Verdict {
  MET("met"),
  MISSED("missed"),
  /** The interval of what was measured holds the goal. */
  NOT_SURE("not sure");

  private final String text;

  Verdict(String text) {
    this.text = text;
  }

  /** Of what may be lost, at most {@code goalPercent}. */
  public static Verdict of(Spread lost, double goalPercent) {
    if (lost.to() <= goalPercent) {
      return MET;
    }
    return lost.from() > goalPercent ? MISSED : NOT_SURE;
  }

  /** Of a ratio that has to reach {@code goal}. */
  public static Verdict atLeast(Spread ratio, double goal) {
    if (ratio.from() >= goal) {
      return MET;
    }
    return ratio.to() < goal ? MISSED : NOT_SURE;
  }

  String text() {
    return text;
  }
}
