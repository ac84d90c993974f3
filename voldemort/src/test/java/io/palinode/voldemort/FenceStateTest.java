package io.palinode.voldemort;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.store.binding.MissedEpochs;
import io.palinode.store.order.FenceState;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FenceStateTest {
  private static final FenceState SERVING = FenceState.resumed(5, 1000, 77, MissedEpochs.NONE);
  private static final FenceState PAUSED = FenceState.paused(6);

  static Stream<Arguments> requests() {
    return Stream.of(
        // state, epoch of the request, what it is refused with
        Arguments.of(SERVING, 5L, null),
        Arguments.of(SERVING, null, null),
        Arguments.of(SERVING, 4L, SERVING),
        Arguments.of(SERVING, 0L, SERVING),
        // The client is ahead of this node.
        Arguments.of(SERVING, 6L, FenceState.paused(6)),
        Arguments.of(PAUSED, 5L, PAUSED),
        Arguments.of(PAUSED, 6L, PAUSED),
        Arguments.of(PAUSED, null, PAUSED),
        Arguments.of(PAUSED, 7L, FenceState.paused(7)),
        Arguments.of(FenceState.INITIAL, 0L, null),
        Arguments.of(FenceState.INITIAL, null, null));
  }

  @ParameterizedTest
  @MethodSource("requests")
  void aRequestIsServedExactlyInItsOwnEpoch(
      FenceState state, @Nullable Long epoch, @Nullable FenceState refusal) {
    assertThat(state.refusal(epoch)).isEqualTo(refusal);
  }

  @Test
  void aPauseHasNoTargetSinceItMayStillMove() {
    assertThat(PAUSED.target()).isNull();
    assertThat(SERVING.target()).isEqualTo(1000);
  }

  @Test
  void anEpochIsNotNegative() {
    assertThatThrownBy(() -> FenceState.paused(-1)).hasMessageContaining("epoch=-1");
  }
}
