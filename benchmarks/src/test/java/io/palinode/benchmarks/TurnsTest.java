package io.palinode.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.palinode.benchmarks.Turns.Side;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TurnsTest {
  @Test
  void sidesTakeTurnsAndTheFirstPairDoesNotCount() throws Exception {
    List<Side> order = new ArrayList<>();
    Turns<Integer> turns =
        Turns.run(
            3,
            side -> {
              order.add(side);
              return order.size();
            });
    assertThat(order)
        .containsExactly(
            Side.OTHER,
            Side.BASE,
            Side.BASE,
            Side.OTHER,
            Side.OTHER,
            Side.BASE,
            Side.BASE,
            Side.OTHER);
    assertThat(turns.base()).containsExactly(3, 6, 7);
    assertThat(turns.other()).containsExactly(4, 5, 8);
  }

  @Test
  void eachPairCountsInAProcessThatIsWarm() throws Exception {
    List<Side> order = new ArrayList<>();
    Turns<Integer> turns =
        Turns.runWarm(
            2,
            side -> {
              order.add(side);
              return order.size();
            });
    assertThat(order).containsExactly(Side.BASE, Side.OTHER, Side.OTHER, Side.BASE);
    assertThat(turns.base()).containsExactly(1, 4);
    assertThat(turns.other()).containsExactly(2, 3);
  }

  @Test
  void aLossIsOfEachPairAndNoiseOfNeighboursOfOneSide() {
    // In time: 100 98, 96 100, 102 99.
    Turns<Double> turns = new Turns<>(List.of(100.0, 100.0, 102.0), List.of(98.0, 96.0, 99.0));
    Turns.Effect lost = turns.lost(each -> each);
    assertThat(lost.values().get(0)).isCloseTo(2, within(1e-9));
    assertThat(lost.values().get(1)).isCloseTo(4, within(1e-9));
    assertThat(lost.values().get(2)).isCloseTo(100 * (1 - 99 / 102.0), within(1e-9));
    assertThat(lost.alike().get(0)).isCloseTo(100 * (1 - 96 / 98.0), within(1e-9));
    assertThat(lost.alike().get(1)).isCloseTo(-2, within(1e-9));
    assertThat(turns.gained(each -> each).values().get(0)).isCloseTo(-2, within(1e-9));
  }
}
