package io.palinode.benchmarks.report;

import io.palinode.benchmarks.Spread;

/** Whether a goal is met, as far as the rounds show. */
public enum Verdict {
  MET("met"),
  MISSED("missed"),
  /** The interval of what was lost holds the goal. */
  NOT_SURE("not sure");

  private final String text;

  Verdict(String text) {
    this.text = text;
  }

  public static Verdict of(Spread lost, double goalPercent) {
    if (lost.to() <= goalPercent) {
      return MET;
    }
    return lost.from() > goalPercent ? MISSED : NOT_SURE;
  }

  String text() {
    return text;
  }
}
