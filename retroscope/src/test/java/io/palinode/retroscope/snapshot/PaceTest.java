package io.palinode.retroscope.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.retroscope.snapshot.file.SnapshotException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PaceTest {
  private final List<Long> pauses = new ArrayList<>();
  private long now = 1_000;

  @Test
  void workAndPauseTogetherKeepToTheShare() {
    Watch paced = new Pace(0.25, () -> now, this::pause).over(Watch.NONE);
    now += 100_000_000;
    assertThat(paced.progress(1, 1)).isTrue();
    now += 10_000_000;
    assertThat(paced.progress(2, 2)).isTrue();
    assertThat(pauses).containsExactly(300_000_000L, 30_000_000L);
  }

  @Test
  void aLittleWorkIsPausedForWhenThereIsMore() {
    Watch paced = new Pace(0.25, () -> now, this::pause).over(Watch.NONE);
    for (int i = 0; i < 10; i++) {
      now += 500_000;
      assertThat(paced.progress(1, 1)).isTrue();
    }
    assertThat(pauses).containsExactly(3_000_000L, 3_000_000L, 3_000_000L, 3_000_000L, 3_000_000L);
  }

  @Test
  void noPauseIsTakenForSilence() {
    Watch paced = new Pace(0.01, () -> now, this::pause).over(Watch.NONE);
    now += 100_000_000;
    assertThat(paced.progress(1, 1)).isTrue();
    assertThat(pauses).containsExactly(1_000_000_000L);
  }

  @Test
  void aCancelledSnapshotIsNotPaused() {
    Watch paced = new Pace(0.25, () -> now, this::pause).over((keys, bytes) -> false);
    now += 100_000_000;
    assertThat(paced.progress(1, 1)).isFalse();
    assertThat(pauses).isEmpty();
  }

  @Test
  void aWaitIsNoWork() {
    Pace.Paced paced = new Pace(0.25, () -> now, this::pause).over(Watch.NONE);
    now += 100_000_000;
    paced.waited();
    now += 10_000_000;
    assertThat(paced.progress(1, 1)).isTrue();
    assertThat(pauses).containsExactly(30_000_000L);
  }

  @Test
  void theWaitOfACancelledSnapshotEnds() {
    Pace.Paced paced = new Pace(0.25, () -> now, this::pause).over((keys, bytes) -> false);
    assertThatThrownBy(paced::waited).isInstanceOf(SnapshotException.class).hasMessage("cancelled");
  }

  @Test
  void aShareOfNothingIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Pace(0, () -> now, this::pause))
        .withMessage("a share must be above 0 and at most 1: share=0.0");
  }

  private void pause(long nanos) {
    pauses.add(nanos);
    now += nanos;
  }
}
