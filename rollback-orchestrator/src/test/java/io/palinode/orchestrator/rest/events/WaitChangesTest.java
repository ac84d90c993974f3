package io.palinode.orchestrator.rest.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.orchestrator.health.Judgement;
import io.palinode.orchestrator.health.Wait;
import io.palinode.orchestrator.history.Change;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A wait begins once and ends once. */
class WaitChangesTest {
  private final WaitChanges changes = new WaitChanges();

  @Test
  void aWaitWhoseTextOrStartMovesIsTheSame() {
    Wait silent = new Wait(Wait.Reason.NODE, 1, 5, "node 1 publishes nothing", "start it");
    Wait behind = new Wait(Wait.Reason.NODE, 1, 9, "node 1 is behind", "compare the clocks");
    assertThat(next(10, silent)).containsExactly(new Change.WaitBegan(silent, 10));
    assertThat(next(11, behind)).isEmpty();
    assertThat(next(12)).containsExactly(new Change.WaitEnded(behind, 12));
    assertThat(next(13)).isEmpty();
  }

  @Test
  void eachNodeAndEachApprovalIsAWait() {
    Wait one = new Wait(Wait.Reason.NODE, 1, 5, "node 1 publishes nothing", "start it");
    Wait two = new Wait(Wait.Reason.NODE, 2, 5, "node 2 publishes nothing", "start it");
    Wait seven = new Wait(Wait.Reason.APPROVAL, null, 5, "request 7 waits", "approve 7");
    Wait eight = new Wait(Wait.Reason.APPROVAL, null, 6, "request 8 waits", "approve 8");
    assertThat(next(10, one, seven)).hasSize(2);
    assertThat(next(11, one, two, seven, eight))
        .containsExactlyInAnyOrder(new Change.WaitBegan(two, 11), new Change.WaitBegan(eight, 11));
    assertThat(next(12, one, two, eight)).containsExactly(new Change.WaitEnded(seven, 12));
  }

  private List<Change> next(long atMicros, Wait... waits) {
    return changes.next(new Judgement(List.of(waits), true, 0, 1, atMicros));
  }
}
