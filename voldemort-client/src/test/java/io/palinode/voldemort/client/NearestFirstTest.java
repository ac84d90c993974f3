package io.palinode.voldemort.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearestFirstTest {
  private static final List<Integer> LIST = List.of(0, 1, 2);

  private static void answers(NearestFirst order, int node, long nanos, int count) {
    for (int i = 0; i < count; i++) {
      order.answered(node, nanos);
    }
  }

  @Test
  void withoutMeasurementsTheRegionIsFirstThenThePreferenceList() {
    assertThat(new NearestFirst(2).order(LIST)).containsExactly(2, 0, 1);
    assertThat(new NearestFirst(-1).order(LIST)).containsExactly(0, 1, 2);
    assertThat(new NearestFirst(9).order(LIST)).containsExactly(0, 1, 2);
  }

  @Test
  void replicaAtMoreThanHalfTheLatencyNeverTakesOver() {
    NearestFirst order = new NearestFirst(0);
    assertThat(order.order(LIST)).startsWith(0);
    answers(order, 0, 1_000, 50);
    answers(order, 1, 501, 1_000);
    assertThat(order.order(LIST)).containsExactly(0, 1, 2);
  }

  @Test
  void replicaAtLessThanHalfTheLatencyTakesOverAfterTwentyAnswersInARow() {
    NearestFirst order = new NearestFirst(0);
    assertThat(order.order(LIST)).startsWith(0);
    answers(order, 0, 1_000, 50);
    answers(order, 1, 400, NearestFirst.SAMPLES_TO_SWITCH - 1);
    answers(order, 2, 300, NearestFirst.SAMPLES_TO_SWITCH - 1);
    assertThat(order.order(LIST)).containsExactly(0, 2, 1);
    answers(order, 2, 300, 1);
    assertThat(order.order(LIST)).containsExactly(2, 1, 0);
  }

  @Test
  void slowAnswerBetweenRestartsTheCount() {
    NearestFirst order = new NearestFirst(0);
    assertThat(order.order(LIST)).startsWith(0);
    answers(order, 0, 1_000, 50);
    answers(order, 1, 100, NearestFirst.SAMPLES_TO_SWITCH - 1);
    order.answered(1, 100_000);
    answers(order, 1, 100, NearestFirst.SAMPLES_TO_SWITCH - 1);
    assertThat(order.order(LIST)).startsWith(0);
  }

  @Test
  void nearReplicaThatFailsIsLeftForTheNextNearest() {
    NearestFirst order = new NearestFirst(0);
    assertThat(order.order(LIST)).startsWith(0);
    answers(order, 0, 10, 5);
    answers(order, 1, 900, 5);
    answers(order, 2, 800, 5);
    order.failed(0);
    assertThat(order.order(LIST)).containsExactly(2, 0, 1);
    answers(order, 0, 10, NearestFirst.SAMPLES_TO_SWITCH);
    assertThat(order.order(LIST)).containsExactly(0, 2, 1);
  }

  @Test
  void everySetOfReplicasHasItsOwnNearOne() {
    NearestFirst order = new NearestFirst(2);
    assertThat(order.order(List.of(0, 1))).containsExactly(0, 1);
    assertThat(order.order(List.of(1, 2))).containsExactly(2, 1);
    order.failed(2);
    assertThat(order.order(List.of(0, 1))).containsExactly(0, 1);
    assertThat(order.order(List.of(1, 2))).containsExactly(1, 2);
  }
}
