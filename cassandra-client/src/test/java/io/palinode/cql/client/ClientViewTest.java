package io.palinode.cql.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.cql.protocol.Context;
import io.palinode.cql.protocol.Fence;
import io.palinode.hvc.Hvc;
import org.junit.jupiter.api.Test;

class ClientViewTest {
  private final ClientView third = ClientView.INITIAL.answered(Context.of(3, null));

  @Test
  void theFirstAnswerNamesTheEpoch() {
    assertThat(third.epoch()).isEqualTo(3);
    assertThat(ClientView.INITIAL.answered(Context.of(Context.UNKNOWN, null)))
        .as("of a table that is not watched")
        .isEqualTo(ClientView.INITIAL);
    assertThat(third.answered(Context.of(Context.UNKNOWN, null))).isEqualTo(third);
  }

  @Test
  void onlyAFenceThatIsServedMovesTheEpoch() {
    assertThat(third.answered(Context.of(4, null)).epoch()).isEqualTo(3);
    assertThat(third.fenced(Fence.paused(4)).epoch()).isEqualTo(3);
    assertThat(third.fenced(new Fence(4, false, 9, false)).epoch()).isEqualTo(4);
    assertThat(third.fenced(new Fence(2, false, 9, false)).epoch()).isEqualTo(3);
  }

  @Test
  void theClockIsTheMaximumOfAllAnswers() {
    ClientView view = third.answered(Context.of(3, Hvc.of(0, 5, 1)));
    assertThat(view.clock()).isEqualTo(Hvc.of(Hvc.NO_OWNER, 5, 1));
    assertThat(view.answered(Context.of(3, Hvc.of(1, 2, 7))).clock())
        .isEqualTo(Hvc.of(Hvc.NO_OWNER, 5, 7));
    assertThat(view.answered(Context.of(3, Hvc.of(2, 2, 7, 8))).clock())
        .as("after the cluster has grown")
        .isEqualTo(Hvc.of(Hvc.NO_OWNER, 2, 7, 8));
  }
}
