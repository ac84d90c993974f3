package io.palinode.detector.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProgressPaceTest {
  private final ProgressPace pace = pace(250, 50, 5, 200, 1_000);

  @Test
  void progressIsFrequentAfterACandidate() {
    assertThat(pace.nextAt(ms(1_000), ms(900), ms(900), 0)).isEqualTo(ms(1_005));
    assertThat(pace.nextAt(ms(1_000), ms(805), ms(805), 0)).isEqualTo(ms(1_005));
    assertThat(pace.nextAt(ms(1_000), ms(804), ms(804), 0)).isEqualTo(ms(1_050));
  }

  @Test
  void progressIsRareWhenNothingHasHappenedForAWhile() {
    assertThat(pace.nextAt(ms(1_000), ms(0), ms(50), 0)).isEqualTo(ms(1_050));
    assertThat(pace.nextAt(ms(1_000), ms(0), ms(49), 0)).isEqualTo(ms(1_250));
  }

  @Test
  void nodesWithDifferentClocksPublishProgressAtTheSameMoments() {
    assertThat(pace.nextAt(ms(1_010), ms(0), ms(1_000), ms(7))).isEqualTo(ms(1_043));
    assertThat(pace.nextAt(ms(43), ms(-1_000), ms(0), ms(7))).isEqualTo(ms(93));
    assertThat(pace.nextAt(ms(-1_000), ms(-3_000), ms(-3_000), ms(7))).isEqualTo(ms(-757));
    assertThat(pace.nextAt(ms(1_000), ms(900), ms(900), ms(7))).isEqualTo(ms(1_003));
    assertThat(pace.nextSend(ms(1_000), ms(7))).isEqualTo(ms(1_003));
    assertThat(pace.nextSend(ms(1_003), ms(7))).isEqualTo(ms(1_008));
  }

  @Test
  void nodesOfABusyMachineSendAtTheSameMoments() {
    ProgressPace standard = ProgressPace.DEFAULT;
    assertThat(standard.nextWhenBusy(ms(1_000), ms(7))).isEqualTo(ms(1_013));
    assertThat(standard.nextWhenBusy(ms(1_013), ms(7))).isEqualTo(ms(1_043));
    assertThat(standard.nextWhenBusy(ms(1_006), 0)).isEqualTo(ms(1_020));
  }

  @Test
  void theClockMayWrap() {
    long next = pace.nextAt(Long.MAX_VALUE, Long.MAX_VALUE - 1, Long.MAX_VALUE - 1, 0);
    assertThat(next - Long.MAX_VALUE).isBetween(1L, ms(5));
  }

  @Test
  void thePaceOfLessActivityIsNotFaster() {
    assertThatIllegalArgumentException().isThrownBy(() -> pace(250, 5, 50, 0, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> pace(40, 50, 5, 0, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> pace(250, 50, 5, 200, 100));
  }

  @Test
  void aBusyMachineSendsNoMoreOften() {
    Duration busy = Duration.ofMillis(20);
    assertThat(ProgressPace.sparing(busy).gathering()).isEqualTo(busy);
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new ProgressPace(
                    pace.quiet(), pace.idle(), busy, busy, pace.idleFor(), busy.minusNanos(1)))
        .withMessageContaining("busy <= gathering");
  }

  private static ProgressPace pace(long quiet, long idle, long busy, long busyFor, long idleFor) {
    return new ProgressPace(
        Duration.ofMillis(quiet),
        Duration.ofMillis(idle),
        Duration.ofMillis(busy),
        Duration.ofMillis(busyFor),
        Duration.ofMillis(idleFor),
        Duration.ofMillis(busy));
  }

  private static long ms(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }
}
