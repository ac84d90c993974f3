package io.palinode.orchestrator.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.orchestrator.Alert;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnjudgedOperationsTest {
  private static final UnjudgedOperations ONE =
      new UnjudgedOperations("p", "lostUpdate", 1, "node 1 is an Apache Cassandra server");
  private static final UnjudgedOperations TWO =
      new UnjudgedOperations("p", "lostUpdate", 2, "node 2 is a stock server with the agent");

  private final UnjudgedOperations.Alerts alerts = new UnjudgedOperations.Alerts();

  @Test
  void eachNodeIsAlertedOnceAndItsEndOnce() {
    assertThat(alerts.due(List.of(ONE), 5)).containsExactly(ONE.alert(5));
    assertThat(alerts.due(List.of(ONE), 6)).isEmpty();
    assertThat(alerts.due(List.of(ONE, TWO), 7)).containsExactly(TWO.alert(7));
    assertThat(alerts.due(List.of(TWO), 8)).containsExactly(ONE.end(8));
    assertThat(alerts.due(List.of(TWO), 9)).isEmpty();
    assertThat(alerts.due(List.of(ONE, TWO), 10)).containsExactly(ONE.alert(10));
  }

  @Test
  void theAlertNamesPredicateNodeAndWayOut() {
    Alert alert = ONE.alert(5);
    assertThat(alert.labels()).containsEntry("predicate", "p").containsEntry("node", "1");
    assertThat(alert.summary())
        .isEqualTo(
            "predicate 'p': lostUpdate finds nothing at node 1, because node 1 is an Apache"
                + " Cassandra server, which does not judge the operations of clients; run"
                + " 'palinode delete p', or run 'palinode run node' as node 1");
    assertThat(ONE.end(8).labels()).isEqualTo(alert.labels());
    assertThat(ONE.end(8).isEnded()).isTrue();
  }
}
