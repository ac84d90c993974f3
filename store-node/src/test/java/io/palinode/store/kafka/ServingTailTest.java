package io.palinode.store.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.Serving;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServingTailTest {
  private final List<String> served = new ArrayList<>();
  private final ServingTail tail =
      new ServingTail(0, (node, epoch) -> served.add("node %d epoch %d".formatted(node, epoch)));

  private void paused(long epoch, int node, long incarnation) {
    Paused step = Paused.newBuilder().setNode(node).setIncarnation(incarnation).build();
    tail.onStep(ControlRecord.newBuilder().setEpoch(epoch).setPaused(step).build());
  }

  private void serving(long epoch, int node, long incarnation) {
    Serving step = Serving.newBuilder().setNode(node).setIncarnation(incarnation).build();
    tail.onStep(ControlRecord.newBuilder().setEpoch(epoch).setServing(step).build());
  }

  @Test
  void anotherNodeThatServesInItsPausedIncarnationIsPassedOn() {
    paused(1, 0, 5);
    paused(1, 1, 3);
    serving(1, 0, 5);
    serving(1, 1, 3);
    assertThat(served).containsExactly("node 1 epoch 1");
  }

  @Test
  void aNodeThatRestartedInThePlanIsNot() {
    paused(1, 1, 3);
    paused(1, 1, 4);
    serving(1, 1, 4);
    assertThat(served).isEmpty();
    paused(2, 1, 4);
    serving(1, 1, 4);
    assertThat(served).as("of the plan before").isEmpty();
    serving(2, 1, 4);
    assertThat(served).containsExactly("node 1 epoch 2");
  }
}
