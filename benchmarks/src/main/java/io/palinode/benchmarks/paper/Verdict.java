package io.palinode.benchmarks.paper;

import io.palinode.benchmarks.Spread;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Ours beside the printed figure. */
public enum Verdict {
  BETTER("better"),
  AS_PAPER("as the paper"),
  WORSE("worse"),
  /** The repetitions differ by more than what is to be measured. */
  NOISE("noise"),
  /** The papers printed no figure for it. */
  NOT_PRINTED("not printed"),
  /** It cannot be measured here. */
  NOT_HERE("not here");

  /** An interval of one repetition is a point. */
  private static final int REPETITIONS_MIN = 2;

  private final String text;

  Verdict(String text) {
    this.text = text;
  }

  /**
   * Compares the whole interval of the repetitions. {@code alike} are the same figures between two
   * runs of one side, so 0 without noise; empty if no side is compared with another.
   */
  static Verdict of(
      Better better, @Nullable Printed paper, List<Double> values, List<Double> alike) {
    Spread ours = Spread.of(values);
    if (exceeds(alike, ours.median())) {
      return NOISE;
    }
    if (paper == null) {
      return NOT_PRINTED;
    }
    if (values.size() < REPETITIONS_MIN) {
      return NOISE;
    }
    double best = better == Better.HIGHER ? paper.to() : paper.from();
    double worst = better == Better.HIGHER ? paper.from() : paper.to();
    double ourBest = better == Better.HIGHER ? ours.to() : ours.from();
    double ourWorst = better == Better.HIGHER ? ours.from() : ours.to();
    if (better.than(ourWorst, best)) {
      return BETTER;
    }
    if (better.than(worst, ourBest)) {
      return WORSE;
    }
    // The interval holds the printed figure: says something only if it holds little else.
    return ours.to() - ours.from() > Math.max(Math.abs(paper.middle()), paper.to() - paper.from())
        ? NOISE
        : AS_PAPER;
  }

  private static boolean exceeds(List<Double> alike, double effect) {
    return !alike.isEmpty()
        && Spread.of(alike.stream().map(Math::abs).toList()).median() > Math.abs(effect);
  }

  static double[] array(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }

  public String text() {
    return text;
  }
}
