package io.palinode.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SpreadTest {
  @Test
  void ofFiveItIsAllOfNineAllButOneAtEachEnd() {
    assertThat(Spread.of(5, 1, 4, 2, 3)).isEqualTo(new Spread(3, 1, 5));
    assertThat(Spread.of(9, 1, 8, 2, 7, 3, 6, 4, 5)).isEqualTo(new Spread(5, 2, 8));
    assertThat(Spread.of(1, 2)).isEqualTo(new Spread(1.5, 1, 2));
    assertThat(Spread.of(7)).isEqualTo(new Spread(7, 7, 7));
  }

  @ParameterizedTest
  @ValueSource(ints = {5, 6, 9, 21})
  void itHoldsTheTrueMedianAsOftenAsItSays(int count) {
    Random random = new Random(count);
    int trials = 20_000;
    long held =
        IntStream.range(0, trials)
            .mapToObj(i -> Spread.of(random.doubles(count).map(x -> Math.pow(x, 3)).toArray()))
            .filter(spread -> spread.from() <= 0.125 && 0.125 <= spread.to())
            .count();
    assertThat(held / (double) trials).as("seed=%d", count).isGreaterThan(15.0 / 16 - 0.01);
  }
}
