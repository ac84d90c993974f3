package io.palinode.retroscope.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PaceTest {
  private final List<Long> pauses = new ArrayList<>();
  private long now = 1_000;

  @Test
  void workAndPauseTogetherKeepToTheShare() {
    Watch paced = new Pace(0.25, () -> now, this::pause).over(Watch.NOBODY);
    now += 100;
    assertThat(paced.progress(1, 1)).isTrue();
    now += 10;
    assertThat(paced.progress(2, 2)).isTrue();
    assertThat(pauses).containsExactly(300L, 30L);
  }

  @Test
  void whatIsNotWantedAnyMoreIsNotPausedFor() {
    Watch paced = new Pace(0.25, () -> now, this::pause).over((keys, bytes) -> false);
    now += 100;
    assertThat(paced.progress(1, 1)).isFalse();
    assertThat(pauses).isEmpty();
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
