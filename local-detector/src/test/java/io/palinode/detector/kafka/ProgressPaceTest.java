package io.palinode.detector.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProgressPaceTest {
  private final ProgressPace pace =
      new ProgressPace(Duration.ofMillis(50), Duration.ofMillis(5), Duration.ofMillis(200));

  @Test
  void progressIsRareWhenIdleAndFrequentAfterACandidate() {
    assertThat(pace.nextAt(ms(1_000), ms(0))).isEqualTo(ms(1_050));
    assertThat(pace.nextAt(ms(1_000), ms(900))).isEqualTo(ms(1_005));
    assertThat(pace.nextAt(ms(1_000), ms(805))).isEqualTo(ms(1_005));
    assertThat(pace.nextAt(ms(1_000), ms(804))).isEqualTo(ms(1_050));
  }

  @Test
  void theClockMayWrap() {
    assertThat(pace.nextAt(Long.MAX_VALUE, Long.MAX_VALUE - 1)).isEqualTo(Long.MAX_VALUE + ms(5));
  }

  @Test
  void aBusyPaceIsNotSlowerThanAnIdleOne() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> new ProgressPace(Duration.ofMillis(5), Duration.ofMillis(50), Duration.ZERO));
  }

  private static long ms(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }
}
