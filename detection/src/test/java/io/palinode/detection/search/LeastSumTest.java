package io.palinode.detection.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detection.Seeds;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The cut with the least sum, against all cuts. */
class LeastSumTest {
  @Test
  void noConsistentCutHasALesserSum() {
    Seeds.each(
        Seeds.count(),
        random -> {
          RandomChains chains = new RandomChains(random);
          int[] cut = LeastSum.cut(chains);
          BigDecimal least = chains.leastOfAll(new int[chains.chains()], 0);
          assertThat(cut == null).as("there is none").isEqualTo(least == null);
          if (cut != null) {
            assertThat(chains.isConsistent(cut)).as("%s", Arrays.toString(cut)).isTrue();
            assertThat(chains.sum(cut)).isEqualByComparingTo(least);
          }
        });
  }

  @Test
  void aChainMayBeLong() {
    int states = 100_000;
    int[] cut =
        LeastSum.cut(
            new LeastSum.Chains() {
              @Override
              public int chains() {
                return 1;
              }

              @Override
              public int size(int chain) {
                return states;
              }

              @Override
              public BigDecimal weight(int chain, int state) {
                return BigDecimal.valueOf(state == 0 ? 0 : state == states - 1 ? -1 : 1);
              }

              @Override
              public boolean isTooEarly(int chain, int state, int other, int laterState) {
                return false;
              }
            });
    assertThat(cut).containsExactly(states - 1);
  }

  /** Which states are too early for which is random, but as clocks make it. */
  private static final class RandomChains implements LeastSum.Chains {
    private final int[][] weights;
    // Of each chain, other chain and its state: how many states of the chain are too early.
    private final int[][][] tooEarly;

    RandomChains(Random random) {
      int chains = 1 + random.nextInt(4);
      weights = new int[chains][];
      for (int chain = 0; chain < chains; chain++) {
        weights[chain] = random.ints(1 + random.nextInt(5), -9, 10).toArray();
      }
      tooEarly = new int[chains][chains][];
      for (int chain = 0; chain < chains; chain++) {
        for (int other = 0; other < chains; other++) {
          tooEarly[chain][other] =
              random
                  .ints(weights[other].length, -2, weights[chain].length + 1)
                  .map(count -> Math.max(0, count))
                  .sorted()
                  .toArray();
        }
      }
    }

    @Override
    public int chains() {
      return weights.length;
    }

    @Override
    public int size(int chain) {
      return weights[chain].length;
    }

    @Override
    public BigDecimal weight(int chain, int state) {
      return BigDecimal.valueOf(weights[chain][state]);
    }

    @Override
    public boolean isTooEarly(int chain, int state, int other, int laterState) {
      return state < tooEarly[chain][other][laterState];
    }

    boolean isConsistent(int[] cut) {
      for (int a = 0; a < cut.length; a++) {
        for (int b = 0; b < cut.length; b++) {
          if (a != b && isTooEarly(a, cut[a], b, cut[b])) {
            return false;
          }
        }
      }
      return true;
    }

    BigDecimal sum(int[] cut) {
      BigDecimal sum = BigDecimal.ZERO;
      for (int chain = 0; chain < cut.length; chain++) {
        sum = sum.add(weight(chain, cut[chain]));
      }
      return sum;
    }

    @org.jspecify.annotations.Nullable
    BigDecimal leastOfAll(int[] cut, int from) {
      if (from == cut.length) {
        return isConsistent(cut) ? sum(cut) : null;
      }
      BigDecimal least = null;
      for (cut[from] = 0; cut[from] < size(from); cut[from]++) {
        BigDecimal sum = leastOfAll(cut, from + 1);
        least = least == null || (sum != null && sum.compareTo(least) < 0) ? sum : least;
      }
      return least;
    }
  }
}
