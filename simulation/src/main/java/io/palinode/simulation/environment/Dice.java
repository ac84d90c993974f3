package io.palinode.simulation.environment;

import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/** All the chance that a run has, from its seed; the same on every Java and machine. */
public final class Dice {
  private static final String ALGORITHM = "L64X128MixRandom";

  private final RandomGenerator random;

  public Dice(long seed) {
    this.random = RandomGeneratorFactory.of(ALGORITHM).create(seed);
  }

  /** True {@code percent} times in a hundred. */
  public boolean percent(int percent) {
    return random.nextInt(100) < percent;
  }

  /** One of {@code from} to {@code to}, both included. */
  public long between(long from, long to) {
    return from + (to == from ? 0 : random.nextLong(to - from + 1));
  }

  /** One of 0 to {@code bound - 1}. */
  public int below(int bound) {
    return random.nextInt(bound);
  }

  public <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  /** Mostly near {@code from}, now and then as much as {@code to}. */
  public long mostlyNear(long from, long to) {
    double skewed = Math.pow(random.nextDouble(), 4);
    return from + (long) ((to - from) * skewed);
  }
}
