package io.palinode.orchestrator.alert;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.orchestrator.Alert;
import io.palinode.orchestrator.alert.OpenAlerts.Due;
import io.palinode.orchestrator.alert.OpenAlerts.To;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** When an alert is repeated and when its end is announced. Time is a number. */
class OpenAlertsTest {
  private static final long SECOND = 1_000_000;

  private final OpenAlerts open = new OpenAlerts();
  private final Map<String, Long> ends = new HashMap<>();
  private final OpenAlerts.Causes causes =
      new OpenAlerts.Causes() {
        @Override
        public List<Alert> earlier() {
          return List.of();
        }

        @Override
        public long endMicros(Alert alert, long nowMicros) {
          return ends.getOrDefault(alert.labels().get("violation"), 0L);
        }
      };

  @Test
  void anAlertThatLastsIsRepeatedToForgetfulDestinationsBeforeItExpires() {
    assertThat(open.raise(alert("v1", 0), 0)).containsExactly(new Due(alert("v1", 0), To.ALL));
    List<Long> sent = new ArrayList<>(List.of(0L));
    for (long now = 0; now <= 600 * SECOND; now += SECOND / 2) {
      long at = now;
      open.due(now, causes)
          .forEach(
              due -> {
                assertThat(due).isEqualTo(new Due(alert("v1", 0), To.FORGETFUL));
                sent.add(at);
              });
    }
    assertThat(sent).hasSize(11);
    for (int i = 1; i < sent.size(); i++) {
      assertThat((sent.get(i) - sent.get(i - 1)) / 1_000)
          .as("also if three posts fail in a row")
          .isLessThan(OpenAlerts.EXPIRES.toMillis() / 3);
    }
  }

  @Test
  void anEndIsAnnouncedOnceToEachDestination() {
    open.raise(alert("v1", 0), 0);
    ends.put("v1", 5 * SECOND);
    Alert ended = alert("v1", 0).endedAt(5 * SECOND);
    assertThat(open.due(70 * SECOND, causes))
        .containsExactly(new Due(ended, To.OTHERS), new Due(ended, To.FORGETFUL));
    assertThat(open.due(200 * SECOND, causes)).isEmpty();
    assertThat(open.size()).isZero();
  }

  @Test
  void aForgetfulDestinationReceivesNoEndBeforeItHasNotified() {
    open.raise(alert("v1", 0), 0);
    ends.put("v1", SECOND);
    Alert ended = alert("v1", 0).endedAt(SECOND);
    assertThat(open.due(SECOND, causes)).containsExactly(new Due(ended, To.OTHERS));
    assertThat(open.due(59 * SECOND, causes)).isEmpty();
    assertThat(open.due(60 * SECOND, causes)).containsExactly(new Due(ended, To.FORGETFUL));
  }

  @Test
  void aCauseThatHoldsAgainIsRaisedAgain() {
    open.raise(alert("v1", 0), 0);
    assertThat(open.isOpen(alert("v1", 0))).isTrue();
    ends.put("v1", SECOND);
    open.due(SECOND, causes);
    assertThat(open.isOpen(alert("v1", 0))).isFalse();
    ends.clear();
    assertThat(open.raise(alert("v1", 9 * SECOND), 9 * SECOND))
        .containsExactly(new Due(alert("v1", 9 * SECOND), To.ALL));
    assertThat(open.due(65 * SECOND, causes)).as("no end").isEmpty();
  }

  @Test
  void aLaterAlertOfTheSameCauseKeepsItsStart() {
    open.raise(alert("v1", 1), 1);
    Alert risen = alert("v1", 7).annotated("grade", "definite");
    assertThat(open.raise(risen, 7))
        .containsExactly(new Due(alert("v1", 1).annotated("grade", "definite"), To.ALL));
    assertThat(open.size()).isEqualTo(1);
  }

  @Test
  void anEndThatIsRaisedEndsTheAlertWithItsOwnText() {
    Alert refuses = Alert.toOperator(Alert.Kind.STORAGE_REFUSES, Map.of("node", "1"), "full", 1);
    Alert works =
        Alert.toOperator(Alert.Kind.STORAGE_REFUSES, Map.of("node", "1"), "works", 9).endedAt(9);
    open.raise(refuses, 1);
    List<Due> due = open.raise(works, 9);
    assertThat(due).extracting(Due::to).containsExactly(To.OTHERS);
    assertThat(due.get(0).alert().summary()).isEqualTo("works");
    assertThat(due.get(0).alert().atMicros()).isEqualTo(1);
    assertThat(open.raise(works, 10)).as("it has ended").isEmpty();
    assertThat(new OpenAlerts().raise(works, 9)).containsExactly(new Due(works, To.ALL));
  }

  @Test
  void anEventIsNeitherRepeatedNorEnded() {
    Alert event = Alert.toOperator(Alert.Kind.PLAN_RESTARTED, Map.of(), "restarted", 1);
    assertThat(open.raise(event, 1)).containsExactly(new Due(event, To.ALL));
    assertThat(open.due(1_000 * SECOND, causes)).isEmpty();
  }

  @Test
  void anAlertOfAnEarlierRunGoesToForgetfulDestinationsOnly() {
    open.resume(alert("v1", 1), 100 * SECOND);
    assertThat(open.due(100 * SECOND, causes))
        .containsExactly(new Due(alert("v1", 1), To.FORGETFUL));
    ends.put("v1", 200 * SECOND);
    assertThat(open.due(200 * SECOND, causes))
        .extracting(Due::to)
        .containsExactly(To.OTHERS, To.FORGETFUL);
  }

  @Test
  void theNumberOfOpenAlertsIsBounded() {
    for (int i = 0; i <= OpenAlerts.OPEN_MAX; i++) {
      assertThat(open.raise(alert("v" + i, 0), 0)).hasSize(1);
    }
    assertThat(open.size()).isEqualTo(OpenAlerts.OPEN_MAX);
  }

  private static Alert alert(String violation, long atMicros) {
    return new Alert(
        Alert.Kind.VIOLATION,
        Map.of("predicate", "mutex", "violation", violation),
        Map.of("summary", "predicate mutex was violated"),
        List.of("console"),
        atMicros);
  }
}
