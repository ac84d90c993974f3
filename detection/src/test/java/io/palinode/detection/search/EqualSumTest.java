package io.palinode.detection.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detection.Seeds;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Choices that add up to a number, against all combinations. */
class EqualSumTest {
  @Test
  void everySolutionIsFoundAndNoOther() {
    int[] solvable = {0};
    Seeds.each(
        3 * Seeds.count(),
        random -> {
          RandomChoices choices = new RandomChoices(random);
          BigDecimal sum = choices.likelySum(random);
          List<String> expected = new ArrayList<>();
          choices.addSolutions(new int[choices.terms()], 0, sum, expected);
          List<String> all = new ArrayList<>();
          assertThat(
                  EqualSum.search(
                      choices,
                      sum,
                      new Budget(1_000_000).search(),
                      solution -> {
                        all.add(Arrays.toString(solution));
                        return false;
                      }))
              .isFalse();
          assertThat(all).containsExactlyInAnyOrderElementsOf(expected);
          List<String> one = new ArrayList<>();
          assertThat(
                  EqualSum.search(
                      choices,
                      sum,
                      new Budget(1_000_000).search(),
                      solution -> one.add(Arrays.toString(solution))))
              .isEqualTo(!expected.isEmpty());
          assertThat(one).hasSize(expected.isEmpty() ? 0 : 1);
          assertThat(expected).containsAll(one);
          solvable[0] += expected.isEmpty() ? 0 : 1;
        });
    assertThat(solvable[0]).isBetween(Seeds.count() / 2, 3 * Seeds.count() - Seeds.count() / 2);
  }

  @Test
  void sumsBeyondALongAreExact() {
    BigDecimal large = new BigDecimal(BigInteger.TWO.pow(64));
    for (BigDecimal sum : List.of(BigDecimal.ZERO, large, large.add(BigDecimal.ONE))) {
      Choices choices =
          new Choices(new BigDecimal[][] {{large, BigDecimal.ONE}, {BigDecimal.ONE, large}});
      assertThat(isFound(choices, sum, 1_000)).isEqualTo(sum.compareTo(large) > 0);
    }
  }

  @Test
  void aSumOfOtherParityNeedsNoSearch() {
    BigDecimal[][] even = new BigDecimal[14][6];
    for (int term = 0; term < 14; term++) {
      for (int choice = 0; choice < 6; choice++) {
        even[term][choice] = BigDecimal.valueOf(2L * (100_000 * term * (choice + 1) + choice));
      }
    }
    assertThat(isFound(new Choices(even), BigDecimal.valueOf(1_000_001), 1_000)).isFalse();
  }

  @Test
  void fewDifferentAmountsNeedFewSteps() {
    BigDecimal[][] few = new BigDecimal[14][6];
    for (BigDecimal[] term : few) {
      Arrays.setAll(term, choice -> BigDecimal.valueOf(choice % 2 == 0 ? 10 : 25));
    }
    // 14 · 10 + 15 k: never 200 and 5.
    assertThat(isFound(new Choices(few), BigDecimal.valueOf(205), 1_000)).isFalse();
    assertThat(isFound(new Choices(few), BigDecimal.valueOf(200), 1_000)).isTrue();
  }

  @Test
  void aSearchThatNeedsMoreStepsIsCut() {
    Random random = new Random(5);
    BigDecimal[][] different = new BigDecimal[20][6];
    for (BigDecimal[] term : different) {
      Arrays.setAll(term, choice -> BigDecimal.valueOf(random.nextLong(1L << 40)));
    }
    Budget.Steps steps = new Budget(10_000).search();
    assertThat(
            EqualSum.search(
                new Choices(different), BigDecimal.valueOf(20L << 39), steps, solution -> true))
        .isFalse();
    assertThat(steps.areSpent()).isTrue();
    RuntimeException stop = new IllegalStateException("stop");
    Budget stopped =
        Budget.ofTrace(
            10_000,
            () -> {
              throw stop;
            });
    assertThatThrownBy(
            () ->
                EqualSum.search(
                    new Choices(different),
                    BigDecimal.valueOf(20L << 39),
                    stopped.search(),
                    solution -> true))
        .isSameAs(stop);
  }

  /** Without a cut. */
  private static boolean isFound(EqualSum.Choices choices, BigDecimal sum, long stepsMax) {
    Budget.Steps steps = new Budget(stepsMax).search();
    boolean found = EqualSum.search(choices, sum, steps, solution -> true);
    assertThat(steps.areSpent()).isFalse();
    return found;
  }

  /** All go with all. */
  private static class Choices implements EqualSum.Choices {
    private final BigDecimal[][] amounts;

    Choices(BigDecimal[][] amounts) {
      this.amounts = amounts;
    }

    @Override
    public int terms() {
      return amounts.length;
    }

    @Override
    public int size(int term) {
      return amounts[term].length;
    }

    @Override
    public BigDecimal amount(int term, int choice) {
      return amounts[term][choice];
    }

    @Override
    public boolean fit(int term, int choice, int other, int otherChoice) {
      return true;
    }
  }

  /** Amounts of few or many values, and of which choices go with which. */
  private static final class RandomChoices extends Choices {
    private final long salt;
    private final int fitOutOf10;

    RandomChoices(Random random) {
      super(amounts(random));
      this.salt = random.nextLong();
      this.fitOutOf10 = 5 + random.nextInt(6);
    }

    private static BigDecimal[][] amounts(Random random) {
      BigDecimal[][] amounts = new BigDecimal[random.nextInt(6)][];
      int values = 1 + random.nextInt(12);
      int step = 1 + random.nextInt(3);
      int scale = random.nextInt(3);
      boolean large = random.nextInt(10) == 0;
      for (int term = 0; term < amounts.length; term++) {
        amounts[term] = new BigDecimal[1 + random.nextInt(5)];
        for (int choice = 0; choice < amounts[term].length; choice++) {
          BigDecimal small =
              BigDecimal.valueOf((long) step * (random.nextInt(values) - values / 2), scale);
          amounts[term][choice] =
              large && random.nextBoolean()
                  ? small.add(new BigDecimal(BigInteger.TWO.pow(64)))
                  : small;
        }
      }
      return amounts;
    }

    /** Of some choices, mostly. */
    BigDecimal likelySum(Random random) {
      BigDecimal sum = BigDecimal.valueOf(random.nextInt(4) == 0 ? random.nextInt(5) : 0);
      for (int term = 0; term < terms(); term++) {
        sum = sum.add(amount(term, random.nextInt(size(term))));
      }
      return sum;
    }

    @Override
    public boolean fit(int term, int choice, int other, int otherChoice) {
      long one = term * 100L + choice;
      long another = other * 100L + otherChoice;
      Random pair = new Random(salt + Math.min(one, another) * 10_007 + Math.max(one, another));
      pair.nextInt();
      return pair.nextInt(10) < fitOutOf10;
    }

    void addSolutions(int[] chosen, int from, BigDecimal rest, List<String> solutions) {
      if (from == chosen.length) {
        if (rest.signum() == 0) {
          solutions.add(Arrays.toString(chosen));
        }
        return;
      }
      for (chosen[from] = 0; chosen[from] < size(from); chosen[from]++) {
        boolean fits = true;
        for (int other = 0; other < from; other++) {
          fits &= fit(other, chosen[other], from, chosen[from]);
        }
        if (fits) {
          addSolutions(chosen, from + 1, rest.subtract(amount(from, chosen[from])), solutions);
        }
      }
    }
  }
}
