package io.palinode.monitor.flink.detection;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detection.DetectionLimits;
import io.palinode.hvc.Hlc;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.Ended;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import io.palinode.wire.v1.ViolationRecord;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.junit.jupiter.api.Test;

/** Violations and limits of the detection operator. */
class DetectionFunctionTest extends DetectionFixture {
  @Test
  void twoIntervalsThatHoldTogetherAreAViolation() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    open(1, 1, 1, 1_005);
    watermark(1_005);
    assertThat(violations())
        .singleElement()
        .satisfies(found -> assertThat(found.getFirst()).isEqualTo(Hlc.ofMicros(1_000)))
        .satisfies(found -> assertThat(found.getViolate()).isEqualTo(Hlc.ofMicros(1_005)))
        .satisfies(found -> assertThat(found.getPredicateVersion()).isEqualTo(1));
  }

  @Test
  void aGradeThatRisesIsPublishedAgainUnderTheSameId() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    open(1, 1, 1, 1_005);
    watermark(1_100);
    assertThat(kinds()).containsExactly("VIOLATION", "VIOLATION");
    assertThat(violations())
        .singleElement()
        .satisfies(found -> assertThat(found.getGrade()).isEqualTo(ViolationGrade.DEFINITE));
  }

  @Test
  void theEndOfAViolationIsPublishedOnceUnderItsId() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    open(1, 1, 1, 1_005);
    watermark(1_100);
    Violation found = violations().iterator().next();
    assertThat(found.getEnded()).as("it holds").isZero();
    restore();
    closeAt(1, 2, 1, 1, 1_005, 2_000);
    closeAt(0, 2, 1, 0, 1_000, 3_000);
    watermark(9_000);
    assertThat(records())
        .singleElement()
        .extracting(ViolationRecord::getEnded)
        .isEqualTo(Ended.newBuilder().setId(found.getId()).setHlc(Hlc.ofMicros(2_000)).build());
  }

  @Test
  void aViolationThatHasEndedIsPublishedWithItsEnd() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    closeAt(0, 2, 1, 0, 1_000, 1_050);
    open(1, 1, 1, 1_005);
    closeAt(1, 2, 1, 1, 1_005, 1_040);
    watermark(9_000);
    assertThat(violations())
        .singleElement()
        .extracting(Violation::getEnded)
        .isEqualTo(Hlc.ofMicros(1_040));
    assertThat(kinds()).containsOnly("VIOLATION");
  }

  @Test
  void aViolationStandsBeforeTheWatermarkThatPassesIt() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    open(1, 1, 1, 1_005);
    watermark(1_005);
    assertThat(harness.getOutput()).last().isInstanceOf(Watermark.class);
  }

  @Test
  void intervalsThatAreFarApartAreNone() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    closeAt(0, 2, 1, 0, 1_000, 1_010);
    open(1, 1, 1, 1_100);
    watermark(1_200);
    assertThat(violations()).isEmpty();
  }

  @Test
  void theOrderInWhichNodesArriveChangesNothing() throws Exception {
    learn(1);
    open(1, 1, 1, 1_100);
    open(0, 1, 0, 1_000);
    closeAt(0, 2, 1, 0, 1_000, 1_010);
    watermark(1_200);
    assertThat(violations()).isEmpty();
  }

  @Test
  void aLimitOfDetectionIsACoverageGapOncePerSecondAndOfThatSecond() throws Exception {
    harness.close();
    harness =
        harness(DetectionSettings.DEFAULT.withLimits(DetectionLimits.DEFAULT.withIntervalsMax(1)));
    harness.open();
    learn(1);
    open(0, 1, 0, 1_000);
    assertThat(kinds()).isEmpty();
    open(0, 2, 0, 1_010);
    open(0, 3, 0, 1_020);
    assertThat(records())
        .singleElement()
        .satisfies(
            record ->
                assertThat(record.getCoverageLost())
                    .isEqualTo(
                        CoverageLost.newBuilder()
                            .setToHlc(Hlc.ofMicros(1_001_010))
                            .setCause(
                                "detection of p met its limits: more than 1 intervals overlap or"
                                    + " are open (--intervals-max)")
                            .build()));
    open(0, 4, 0, 2_000_000);
    assertThat(kinds()).containsExactly("COVERAGE_GAP", "COVERAGE_GAP");
  }

  @Test
  void nothingIsKeptOfEndedIntervals() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    closeAt(0, 2, 1, 0, 1_000, 1_010);
    open(1, 1, 1, 1_100);
    closeAt(1, 2, 1, 1, 1_100, 1_110);
    assertThat(keptEntries()).isPositive();
    watermark(5_000);
    assertThat(keptEntries()).isZero();
    assertThat(harness.numEventTimeTimers()).isZero();
  }

  @Test
  void anOpenIntervalIsKeptAsLongAsItIsOpen() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    for (int seconds = 1; seconds <= 100; seconds++) {
      watermark(seconds * 1_000_000L);
    }
    assertThat(keptEntries()).isOne();
    open(1, 1, 1, 100_500_000);
    watermark(101_000_000);
    assertThat(violations()).hasSize(1);
  }

  @Test
  void anEventThatDoesNotFitItsPredicateIsACoverageGap() throws Exception {
    learn(1);
    open(0, 1, 7, 1_000);
    assertThat(kinds()).containsExactly("COVERAGE_GAP");
  }

  private void restore() throws Exception {
    OperatorSubtaskState snapshot = harness.snapshot(1, 1);
    harness.close();
    harness = harness();
    harness.initializeState(snapshot);
    harness.open();
  }

  @Test
  void aRestoredOperatorContinuesWhereItWas() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    restore();
    open(1, 1, 1, 1_005);
    watermark(2_000);
    assertThat(violations()).hasSize(1);
  }
}
