package io.palinode.benchmarks.online;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.benchmarks.online.OperationCosts.Cost;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class OperationCostsTest {
  private final Map<String, Cost> costs =
      OperationCosts.measured().stream().collect(Collectors.toMap(Cost::operation, cost -> cost));

  @Test
  void operationsThatLoseNothingPublishNothing() {
    assertThat(costs.get("put").candidates()).isZero();
    assertThat(costs.get("put, one version seen").candidates()).isZero();
    assertThat(costs.get("get").candidates()).isZero();
  }

  @Test
  void aClockThatWasSeenIsPartOfThePut() {
    int seen = costs.get("put, one version seen").requestBytes() - costs.get("put").requestBytes();
    assertThat(seen).isEqualTo(19);
  }

  @Test
  void aLostUpdateAndAStaleReadOpenAndCloseOneIntervalEach() {
    for (String operation :
        new String[] {"put that loses an update", "stale get", "get that goes back"}) {
      assertThat(costs.get(operation).candidates()).as(operation).isEqualTo(2);
    }
    assertThat(costs.get("put that loses an update").candidateBytes())
        .isGreaterThan(costs.get("put for which equals holds").candidateBytes());
  }
}
