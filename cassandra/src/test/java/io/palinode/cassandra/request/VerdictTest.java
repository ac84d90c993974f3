package io.palinode.cassandra.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.cql.protocol.Context;
import io.palinode.cql.protocol.Fence;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.store.order.FenceState;
import org.junit.jupiter.api.Test;

class VerdictTest {
  private static final FenceState FOURTH = FenceState.resumed(4, 99, 0, new MissedEpochs(2, 0, 0));

  @Test
  void aReplicaServesItsOwnEpochOnly() {
    assertThat(Verdict.of(FOURTH, 3)).isEqualTo(Verdict.OVER);
    assertThat(Verdict.of(FOURTH, 4)).isEqualTo(Verdict.SERVED);
    assertThat(Verdict.of(FOURTH, 5)).isEqualTo(Verdict.NOT_YET);
  }

  @Test
  void aPausedReplicaServesNoEpoch() {
    FenceState paused = FenceState.paused(4);
    assertThat(Verdict.of(paused, 3)).isEqualTo(Verdict.OVER);
    assertThat(Verdict.of(paused, 4)).isEqualTo(Verdict.NOT_YET);
    assertThat(Verdict.of(paused, 5)).isEqualTo(Verdict.NOT_YET);
  }

  @Test
  void withoutAnEpochOrANodeARequestIsCassandrasAlone() {
    assertThat(Verdict.of(FOURTH, Context.UNKNOWN)).isEqualTo(Verdict.SERVED);
    assertThat(Verdict.of(null, 3)).isEqualTo(Verdict.SERVED);
  }

  @Test
  void aFenceNamesTheTargetOfOneRollbackAndWhetherToRestart() {
    assertThat(Contexts.fence(FOURTH, 3)).isEqualTo(new Fence(4, false, 99, false));
    assertThat(Contexts.fence(FOURTH, 1))
        .as("the targets of the others are not known")
        .isEqualTo(new Fence(4, false, 0, true));
    assertThat(Contexts.fence(FenceState.paused(4), 3)).isEqualTo(Fence.paused(4));
  }
}
