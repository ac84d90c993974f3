package io.palinode.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The choice of what is killed. No part is ever started here. */
class ChaosTest {
  private static final int WRITES = 400;

  private final List<PartProcess> parts =
      Stream.of("kafka", "detection", "node 0", "node 1", "node 2")
          .map(name -> new PartProcess(name, List.of(), Path.of("unused.log"), null))
          .toList();
  private final Chaos chaos = new Chaos(parts, new Random(1), 1_000, 0, line -> {});

  @Test
  void allNodesAndNoOtherPartAreKilledAtTheThirdAndThenEveryFifthViolation() {
    for (int violation = 1; violation <= 8; violation++) {
      chaos.violated(0);
      int outages = violation < 3 ? 0 : violation < 8 ? 1 : 2;
      assertThat(chaos.allNodesDown()).as("violation %d", violation).isEqualTo(outages);
    }
    assertThat(chaos.strikes(Map.of()).kills())
        .isEqualTo(Map.of("node 0", 2, "node 1", 2, "node 2", 2));
  }

  @Test
  void aNodeIsSometimesKilledWhenItHasAcknowledgedAndNotAgainWhileItIsAway() {
    for (int i = 0; i < WRITES; i++) {
      chaos.acknowledged(1, 0);
    }
    ChaosReport.Strikes strikes = chaos.strikes(Map.of());
    assertThat(strikes.kills()).isEqualTo(Map.of("node 1", 1));
    assertThat(strikes.afterAcknowledgement()).isEqualTo(1);
  }
}
