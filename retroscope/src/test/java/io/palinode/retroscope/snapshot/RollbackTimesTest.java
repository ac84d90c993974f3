package io.palinode.retroscope.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.hvc.PointInTime;
import io.palinode.retroscope.snapshot.RollbackTimes.Span;
import io.palinode.retroscope.snapshot.file.HalfUndoneException;
import org.junit.jupiter.api.Test;

class RollbackTimesTest {
  @Test
  void aTimeInAnOpenRollbackIsRefusedWithTheLastWholeTime() {
    RollbackTimes times = RollbackTimes.NONE.with(new Span(3, 50, RollbackTimes.NOT_ENDED));
    times.requireWhole(50);
    assertThatThrownBy(() -> times.requireWhole(51))
        .isInstanceOf(HalfUndoneException.class)
        .hasMessage(
            "at time %s the store was half undone, by the rollback to epoch 3: it can be read up to %s, and the rollback has not ended",
            PointInTime.format(51), PointInTime.format(50));
  }

  @Test
  void aRollbackBeginsAfterTheOneBeforeIt() {
    RollbackTimes times = RollbackTimes.NONE.with(new Span(1, 10, 20)).with(new Span(2, 15, 30));
    times.requireWhole(20);
    assertThatThrownBy(() -> times.requireWhole(21)).hasMessageContaining("epoch 2");
  }

  @Test
  void ofMoreThanAreKeptTheOldestAreOne() {
    RollbackTimes times = RollbackTimes.NONE;
    for (int i = 0; i <= RollbackTimes.SPANS_MAX; i++) {
      times = times.with(new Span(i, 10L * i, 10L * i + 5));
    }
    assertThat(times.spans()).hasSize(RollbackTimes.SPANS_MAX);
    assertThat(times.spans().get(0)).isEqualTo(new Span(1, 0, 15));
    times.requireWhole(15);
    times.requireWhole(17);
  }
}
