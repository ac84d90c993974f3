package io.palinode.monitor.judgement;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import org.junit.jupiter.api.Test;

class JudgedPaceTest {
  private static final long PERIOD = 20;

  private final JudgedPace pace = new JudgedPace(PERIOD, PERIOD);

  @Test
  void theFirstWatermarkIsPublishedAtOnce() {
    assertThat(pace.due(0)).isEqualTo(JudgedPace.NOTHING);
    pace.watermark(100);
    assertThat(pace.due(0)).isEqualTo(100);
    assertThat(pace.isPending()).isFalse();
  }

  @Test
  void withinAPeriodOneWatermarkIsPublishedAndTheLastOneAfterIt() {
    pace.watermark(ms(100));
    pace.due(1_000);
    pace.watermark(ms(150));
    assertThat(pace.due(1_005)).isEqualTo(JudgedPace.NOTHING);
    pace.watermark(ms(200));
    assertThat(pace.due(1_019)).isEqualTo(JudgedPace.NOTHING);
    assertThat(pace.isPending()).isTrue();
    assertThat(pace.nextAtMs()).isEqualTo(1_020);
    assertThat(pace.due(1_020)).isEqualTo(ms(200));
    assertThat(pace.isPending()).isFalse();
  }

  @Test
  void whenNothingHasHappenedForAWhileASmallStepWaitsForALongOneOrAPeriod() {
    pace.watermark(ms(100));
    pace.due(0);
    pace.watermark(ms(350));
    assertThat(pace.due(1_000)).isEqualTo(ms(350));
    pace.watermark(ms(352));
    assertThat(pace.due(1_250)).isEqualTo(JudgedPace.NOTHING);
    assertThat(pace.nextAtMs()).isEqualTo(1_270);
    pace.watermark(ms(600));
    assertThat(pace.due(1_252)).as("a long step").isEqualTo(ms(600));
    pace.watermark(ms(601));
    assertThat(pace.due(1_500)).isEqualTo(JudgedPace.NOTHING);
    assertThat(pace.due(1_520)).as("a period later").isEqualTo(ms(601));
  }

  @Test
  void untilAnAwaitedTimeASmallStepIsPublishedAtOnce() {
    pace.watermark(ms(100));
    pace.due(0);
    pace.await(ms(102));
    pace.watermark(ms(101));
    assertThat(pace.due(5_000)).isEqualTo(ms(101));
    pace.watermark(ms(102));
    assertThat(pace.due(6_000)).isEqualTo(ms(102));
    pace.watermark(ms(103));
    assertThat(pace.due(6_100)).isEqualTo(JudgedPace.NOTHING);
  }

  @Test
  void theShortPeriodLastsUntilTheAwaitedTime() {
    JudgedPace twoPeriods = new JudgedPace(PERIOD, 5 * PERIOD);
    twoPeriods.watermark(ms(100));
    assertThat(twoPeriods.due(1_000)).isEqualTo(ms(100));
    twoPeriods.watermark(ms(150));
    assertThat(twoPeriods.due(1_020)).isEqualTo(JudgedPace.NOTHING);
    assertThat(twoPeriods.nextAtMs()).isEqualTo(1_100);
    twoPeriods.await(ms(200));
    assertThat(twoPeriods.due(1_021)).isEqualTo(ms(150));
    twoPeriods.watermark(ms(200));
    assertThat(twoPeriods.due(1_041)).isEqualTo(ms(200));
    twoPeriods.watermark(ms(250));
    assertThat(twoPeriods.due(1_061)).isEqualTo(JudgedPace.NOTHING);
    assertThat(twoPeriods.nextAtMs()).isEqualTo(1_141);
  }

  @Test
  void noWatermarkIsPublishedTwice() {
    pace.watermark(100);
    pace.due(0);
    assertThat(pace.due(1_000)).isEqualTo(JudgedPace.NOTHING);
    pace.watermark(90);
    assertThat(pace.due(2_000)).isEqualTo(JudgedPace.NOTHING);
  }

  @Test
  void judgementStopsRightBeforeAHold() {
    pace.watermark(100);
    pace.due(0);
    pace.hold(150);
    pace.hold(130);
    pace.watermark(200);
    assertThat(pace.due(1_000)).isEqualTo(129);
    pace.release(130);
    assertThat(pace.due(2_000)).isEqualTo(149);
    pace.release(150);
    assertThat(pace.due(3_000)).isEqualTo(200);
  }

  @Test
  void eachHoldNeedsItsOwnRelease() {
    pace.hold(130);
    pace.hold(130);
    assertThat(pace.holds()).containsExactly(130L, 130L);
    pace.watermark(200);
    pace.due(0);
    pace.release(130);
    assertThat(pace.due(1_000)).isEqualTo(JudgedPace.NOTHING);
    pace.release(130);
    assertThat(pace.due(1_000)).isEqualTo(200);
    assertThat(pace.holds()).isEmpty();
  }

  private static long ms(long millis) {
    return Hlc.ofMicros(millis * 1_000);
  }
}
