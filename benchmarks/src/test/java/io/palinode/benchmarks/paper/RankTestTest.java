package io.palinode.benchmarks.paper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RankTestTest {
  @Test
  void samplesThatDoNotOverlapHaveTheLeastP() {
    assertThat(RankTest.p(new double[] {1, 2, 3}, new double[] {4, 5, 6}))
        .isCloseTo(2.0 / 20, within(1e-12));
    assertThat(RankTest.least(4, 4)).isCloseTo(2.0 / 70, within(1e-12));
    assertThat(RankTest.least(5, 5)).isCloseTo(2.0 / 252, within(1e-12));
  }

  @Test
  void equalSamplesHaveAPOfOne() {
    assertThat(RankTest.p(new double[] {7, 7}, new double[] {7, 7, 7})).isCloseTo(1, within(1e-12));
    assertThat(RankTest.p(new double[] {1, 4}, new double[] {2, 3})).isCloseTo(1, within(1e-12));
  }

  @Test
  void thePIsTheShareOfAllDealsThatDifferAsMuch() {
    for (long seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      double[] one = random.ints(1 + random.nextInt(5), 0, 6).asDoubleStream().toArray();
      double[] other = random.ints(1 + random.nextInt(5), 0, 6).asDoubleStream().toArray();
      assertThat(RankTest.p(one, other))
          .as("seed %d", seed)
          .isCloseTo(byDealing(one, other), within(1e-9));
    }
  }

  /** Tries each choice of values for the first sample; a rank by comparing each pair. */
  private static double byDealing(double[] one, double[] other) {
    double[] all = new double[one.length + other.length];
    System.arraycopy(one, 0, all, 0, one.length);
    System.arraycopy(other, 0, all, one.length, other.length);
    double expected = one.length * other.length / 2.0;
    double observed = Math.abs(wins(all, (1 << one.length) - 1) - expected);
    int deals = 0;
    int asFar = 0;
    for (int chosen = 0; chosen < 1 << all.length; chosen++) {
      if (Integer.bitCount(chosen) == one.length) {
        deals++;
        asFar += Math.abs(wins(all, chosen) - expected) >= observed - 1e-9 ? 1 : 0;
      }
    }
    return (double) asFar / deals;
  }

  private static double wins(double[] all, int chosen) {
    double wins = 0;
    for (int i = 0; i < all.length; i++) {
      for (int j = 0; j < all.length; j++) {
        if ((chosen >> i & 1) == 1 && (chosen >> j & 1) == 0) {
          wins += all[i] > all[j] ? 1 : all[i] == all[j] ? 0.5 : 0;
        }
      }
    }
    return wins;
  }

  @Test
  void aSampleWithoutValuesIsRefused() {
    assertThatThrownBy(() -> RankTest.p(new double[0], new double[] {1}))
        .hasMessageContaining("0 and 1");
    double[] many = new double[101];
    Arrays.fill(many, 1);
    assertThatThrownBy(() -> RankTest.p(many, many)).hasMessageContaining("1 to 100");
  }
}
