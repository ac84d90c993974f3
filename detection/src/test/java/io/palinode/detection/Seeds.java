package io.palinode.detection;

import java.util.Random;
import java.util.function.Consumer;

/**
 * Runs a check on many seeds; a failure names its seed. {@code -Dpalinode.seeds=20000} runs more.
 */
public final class Seeds {
  private static final int COUNT_DEFAULT = 2_000;

  private Seeds() {}

  public static int count() {
    return count(COUNT_DEFAULT);
  }

  /**
   * The given number, or that of the property: a check of many steps has fewer seeds by default.
   */
  public static int count(int byDefault) {
    return Integer.getInteger("palinode.seeds", byDefault);
  }

  public static void each(int count, Consumer<Random> check) {
    for (int seed = 0; seed < count; seed++) {
      one(seed, check);
    }
  }

  /** To run a failing seed again. */
  static void one(int seed, Consumer<Random> check) {
    try {
      check.accept(new Random(seed * 7_919L + 1));
    } catch (AssertionError | RuntimeException failure) {
      throw new AssertionError("seed=" + seed + ": " + failure.getMessage(), failure);
    }
  }
}
