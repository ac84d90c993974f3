package io.palinode.benchmarks;

/**
 * How often, and for how long, each contestant is measured.
 *
 * @param rounds at least two, so that neighbours can be compared
 */
public record Rounds(int rounds, double roundSeconds) {
  /** Whether something can be measured. */
  public boolean areEnough() {
    return rounds >= 2 && roundSeconds > 0;
  }
}
