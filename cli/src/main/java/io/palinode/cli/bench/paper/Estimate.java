package io.palinode.cli.bench.paper;

import java.util.List;
import java.util.function.LongSupplier;

/** How long the remaining steps take, from what the steps so far took. Not thread-safe. */
final class Estimate {
  private static final double NANOS_PER_SECOND = 1e9;

  private final LongSupplier nanos;
  private final long begin;
  private double expectedBefore;
  private double expectedAfter;
  private double stepSeconds;
  private int steps;
  private int done;

  /**
   * @param expected seconds of each table, for two idle cores
   */
  Estimate(LongSupplier nanos, List<Double> expected) {
    this.nanos = nanos;
    this.begin = nanos.getAsLong();
    this.expectedAfter = expected.stream().mapToDouble(Double::doubleValue).sum();
  }

  /** The next table, of so many steps. */
  void table(int newSteps, double newStepSeconds) {
    expectedBefore += steps * stepSeconds;
    expectedAfter -= newSteps * newStepSeconds;
    steps = newSteps;
    stepSeconds = newStepSeconds;
    done = 0;
  }

  /** Another step begins. */
  void step() {
    done = Math.min(steps, done + 1);
  }

  /** Seconds until the end: what is expected, by how this machine kept to that so far. */
  double secondsLeft() {
    double elapsed = (nanos.getAsLong() - begin) / NANOS_PER_SECOND;
    double behind = expectedBefore + Math.max(0, done - 1) * stepSeconds;
    double ahead = (steps - Math.max(0, done - 1)) * stepSeconds + Math.max(0, expectedAfter);
    return behind > 0 ? ahead * elapsed / behind : ahead;
  }
}
