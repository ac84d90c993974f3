package io.palinode.monitor.judgement;

import static io.palinode.monitor.Records.event;
import static io.palinode.monitor.Records.gap;
import static io.palinode.monitor.Records.opened;
import static io.palinode.monitor.Records.progress;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Records;
import io.palinode.monitor.judgement.ProgressWatermarks.Skipping;
import org.junit.jupiter.api.Test;

class ProgressWatermarksTest {
  private static final long SECOND = 1_000_000;

  private long nowMs = 1_000;
  private final Skipping skipping = new Skipping(Hlc.ofMicros(40 * SECOND), 30_000, () -> nowMs);

  private final ProgressWatermarks watermarks = new ProgressWatermarks(Records.NODES);

  /** The times are seconds. */
  @Test
  void aNodeThatIsSilentForLongIsSkippedUntilItHasCaughtUp() {
    ProgressWatermarks reading = new ProgressWatermarks(Records.NODES, skipping);
    for (int node = 0; node < Records.NODES; node++) {
      reading.observe(progress(node, 0, 50 * SECOND));
    }
    reading.observe(progress(0, 0, 500 * SECOND));
    assertThat(reading.watermark()).as("one node is no majority").isEqualTo(at(50));
    reading.observe(progress(1, 0, 90 * SECOND));
    assertThat(reading.watermark()).isEqualTo(at(50));
    assertThat(reading.observe(progress(1, 0, 91 * SECOND))).isFalse();
    nowMs += 29_999;
    assertThat(reading.observe(progress(1, 0, 92 * SECOND))).as("it may be on its way").isFalse();
    nowMs++;
    assertThat(reading.observe(progress(1, 0, 93 * SECOND))).isTrue();
    assertThat(reading.watermark()).as("2 s behind the majority").isEqualTo(at(91));
    assertThat(reading.observe(progress(2, 0, 80 * SECOND))).isFalse();
    assertThat(reading.observe(progress(1, 0, 100 * SECOND))).isFalse();
    assertThat(reading.observe(progress(2, 0, 95 * SECOND))).isTrue();
    assertThat(reading.watermark()).as("it decides again").isEqualTo(at(95));
  }

  @Test
  void aNodeThatPublishesNothingInAnEpochIsSkippedTooOnceThatIsLong() {
    ProgressWatermarks reading = new ProgressWatermarks(Records.NODES, skipping);
    reading.observe(progress(0, 0, 50 * SECOND));
    reading.observe(progress(1, 0, 90 * SECOND));
    reading.observe(progress(0, 0, 90 * SECOND));
    assertThat(reading.watermark()).isEqualTo(ProgressWatermarks.NONE);
    reading.observe(progress(0, 0, 91 * SECOND));
    reading.observe(progress(1, 0, 91 * SECOND));
    nowMs += 30_000;
    reading.observe(progress(0, 0, 92 * SECOND));
    reading.observe(progress(1, 0, 92 * SECOND));
    assertThat(reading.watermark()).isEqualTo(at(90));
  }

  /** After an outage of Kafka of minutes, the nodes publish again one after the other. */
  @Test
  void aNodeThatPublishesAgainLaterThanOthersIsNotSkipped() {
    ProgressWatermarks reading = new ProgressWatermarks(Records.NODES, skipping);
    for (int node = 0; node < Records.NODES; node++) {
      reading.observe(progress(node, 0, 50 * SECOND));
    }
    for (long second = 400; second < 450; second++) {
      reading.observe(progress(0, 0, second * SECOND));
      reading.observe(progress(1, 0, second * SECOND));
      nowMs += 1_000;
      if (second % 20 == 0) {
        reading.observe(progress(2, 0, (second - 340) * SECOND));
      }
    }
    assertThat(reading.watermark()).as("it catches up").isEqualTo(at(100));
  }

  @Test
  void twoNodesDoNotSkipOneAnother() {
    ProgressWatermarks two = new ProgressWatermarks(2, skipping);
    two.observe(progress(0, 0, 50 * SECOND));
    two.observe(progress(1, 0, 50 * SECOND));
    two.observe(progress(0, 0, 500 * SECOND));
    assertThat(two.watermark()).isEqualTo(at(50));
  }

  private static long at(long seconds) {
    return Hlc.ofMicros(seconds * SECOND);
  }

  @Test
  void nothingIsCompleteBeforeEveryNodeHasPublished() {
    assertThat(watermarks.observe(progress(0, 0, 100))).isFalse();
    assertThat(watermarks.observe(progress(1, 0, 100))).isFalse();
    assertThat(watermarks.watermark()).isEqualTo(ProgressWatermarks.NONE);
    assertThat(watermarks.observe(progress(2, 0, 50))).isTrue();
    assertThat(watermarks.watermark()).isEqualTo(Hlc.ofMicros(50));
  }

  @Test
  void theNodeThatIsFurthestBehindDecides() {
    allAt(50);
    assertThat(watermarks.observe(progress(0, 0, 90))).isFalse();
    assertThat(watermarks.observe(progress(1, 0, 80))).isFalse();
    assertThat(watermarks.observe(progress(2, 0, 85))).isTrue();
    assertThat(watermarks.watermark()).isEqualTo(Hlc.ofMicros(80));
  }

  @Test
  void aCandidateOnlyCompletesTheTimeBeforeIt() {
    allAt(50);
    watermarks.observe(progress(0, 0, 90));
    watermarks.observe(progress(1, 0, 90));
    // Another event at 70 may follow: one write can end several intervals.
    assertThat(watermarks.observe(opened(2, 1, 70))).isTrue();
    assertThat(watermarks.watermark()).isEqualTo(Hlc.ofMicros(70) - 1);
    assertThat(watermarks.observe(opened(2, 2, 70))).isFalse();
  }

  @Test
  void aGapCompletesNothing() {
    allAt(50);
    watermarks.observe(progress(0, 0, 90));
    watermarks.observe(progress(1, 0, 90));
    assertThat(watermarks.observe(event(gap(2, 1, 3, 55, 70)))).isFalse();
    assertThat(watermarks.watermark()).isEqualTo(Hlc.ofMicros(50));
  }

  @Test
  void progressBehindARefusedEventCompletesNothingUntilAGapExplainsIt() {
    allAt(50);
    watermarks.observe(progress(0, 0, 200));
    watermarks.observe(progress(1, 0, 200));
    watermarks.observe(opened(2, 1, 60));
    // Number 2, an end, was refused.
    assertThat(watermarks.observe(progress(2, 2, 90))).isFalse();
    assertThat(watermarks.observe(opened(2, 3, 95))).isFalse();
    assertThat(watermarks.watermark()).isEqualTo(Hlc.ofMicros(60) - 1);
    assertThat(watermarks.observe(event(gap(2, 2, 2, 70, 70)))).isFalse();
    // The late end and the event after it, which is behind the hole as well.
    assertThat(watermarks.observe(opened(2, 4, 70))).isFalse();
    assertThat(watermarks.observe(opened(2, 5, 98))).isFalse();
    assertThat(watermarks.observe(progress(2, 5, 100))).isTrue();
    assertThat(watermarks.watermark()).isEqualTo(Hlc.ofMicros(100));
  }

  @Test
  void oneGapExplainsAllOfManyHolesThatItCoversAndNoOther() {
    allAt(50);
    watermarks.observe(progress(0, 0, 200));
    watermarks.observe(progress(1, 0, 200));
    watermarks.observe(opened(2, 2, 60));
    watermarks.observe(opened(2, 4, 61));
    watermarks.observe(progress(2, 7, 62));
    watermarks.observe(event(gap(2, 1, 5, 51, 61)));
    assertThat(watermarks.observe(progress(2, 7, 70))).isFalse();
    watermarks.observe(event(gap(2, 7, 7, 62, 62)));
    assertThat(watermarks.observe(progress(2, 7, 80))).isFalse();
    watermarks.observe(event(gap(2, 6, 6, 62, 62)));
    assertThat(watermarks.observe(progress(2, 7, 90))).isTrue();
    assertThat(watermarks.watermark()).isEqualTo(Hlc.ofMicros(90));
  }

  @Test
  void recordsThatKafkaHasLostHoldTheWatermarkFor30SecondsOfTheNodesTime() {
    allAt(50);
    watermarks.observe(progress(0, 0, 90_000_000));
    watermarks.observe(progress(1, 0, 90_000_000));
    assertThat(watermarks.observe(progress(2, 3, 100))).isFalse();
    assertThat(watermarks.observe(progress(2, 3, 30_000_100))).isFalse();
    assertThat(watermarks.observe(progress(2, 3, 30_000_101))).isTrue();
  }

  @Test
  void aTopicWithoutItsFirstRecordsIsCompleteFromItsFirstRecordOn() {
    watermarks.observe(progress(0, 0, 100));
    watermarks.observe(progress(1, 0, 100));
    assertThat(watermarks.observe(progress(2, 700, 50))).isTrue();
  }

  @Test
  void theWatermarkNeverGoesBack() {
    allAt(50);
    assertThat(watermarks.observe(progress(1, 0, 20))).isFalse();
    assertThat(watermarks.watermark()).isEqualTo(Hlc.ofMicros(50));
  }

  @Test
  void aNodeThatReusesIncarnationsOrSequencesCompletesNothing() {
    allAt(50);
    watermarks.observe(progress(1, 0, 90));
    watermarks.observe(progress(2, 0, 90));
    watermarks.observe(ofIncarnation(3, progress(0, 4, 60)));
    assertThat(watermarks.observe(ofIncarnation(2, progress(0, 9, 80)))).isFalse();
    assertThat(watermarks.observe(ofIncarnation(3, progress(0, 3, 80)))).isFalse();
    assertThat(watermarks.observe(ofIncarnation(4, progress(0, 0, 70)))).isTrue();
    assertThat(watermarks.watermark()).isEqualTo(Hlc.ofMicros(70));
  }

  @Test
  void anOlderEpochCountsUntilANodePublishesInANewerOne() {
    allAt(50);
    assertThat(watermarks.observe(progress(0, 0, 90))).isFalse();
    assertThat(watermarks.observe(progress(1, 0, 80))).isFalse();
    assertThat(watermarks.observe(progress(2, 0, 85))).isTrue();
  }

  @Test
  void afterTheFirstEventOfANewEpochANodeCountsOnceItHasPublishedInIt() {
    allAt(50);
    watermarks.observe(progress(1, 0, 95));
    watermarks.observe(progress(2, 0, 95));
    // The others are ahead of the intervals they may open again in the new epoch.
    assertThat(watermarks.observe(inEpoch(1, opened(0, 1, 90)))).isFalse();
    assertThat(watermarks.observe(inEpoch(1, progress(0, 1, 120)))).isFalse();
    assertThat(watermarks.observe(inEpoch(1, progress(1, 0, 110)))).isFalse();
    assertThat(watermarks.watermark()).isEqualTo(Hlc.ofMicros(50));
    assertThat(watermarks.observe(inEpoch(1, progress(2, 0, 130)))).isTrue();
    assertThat(watermarks.watermark()).isEqualTo(Hlc.ofMicros(110));
  }

  @Test
  void progressOfAnEpochBeforeTheNewestCompletesNothing() {
    allAt(50);
    watermarks.observe(inEpoch(1, progress(0, 0, 120)));
    watermarks.observe(inEpoch(1, progress(1, 0, 120)));
    assertThat(watermarks.observe(progress(2, 0, 140))).isFalse();
    assertThat(watermarks.observe(opened(2, 1, 150))).isFalse();
    assertThat(watermarks.watermark()).isEqualTo(Hlc.ofMicros(50));
  }

  @Test
  void theWatermarkIsHeldWhenTheNewEpochBeginsBeforeIt() {
    allAt(50);
    watermarks.observe(inEpoch(1, progress(0, 0, 60)));
    watermarks.observe(inEpoch(1, progress(1, 0, 60)));
    assertThat(watermarks.observe(inEpoch(1, opened(2, 1, 40)))).isFalse();
    assertThat(watermarks.watermark()).isEqualTo(Hlc.ofMicros(50));
    assertThat(watermarks.observe(inEpoch(1, progress(2, 1, 55)))).isTrue();
    assertThat(watermarks.watermark()).isEqualTo(Hlc.ofMicros(55));
  }

  @Test
  void theFirstEventOfAnEpochMayBeAGap() {
    allAt(50);
    watermarks.observe(event(gap(0, 1, 2, 60, 70).toBuilder().setEpoch(1).build()));
    assertThat(watermarks.observe(progress(0, 2, 80))).isFalse();
    assertThat(watermarks.observe(progress(1, 0, 80))).isFalse();
    assertThat(watermarks.observe(progress(2, 0, 80))).isFalse();
  }

  private static CandidateEvent ofIncarnation(long incarnation, CandidateEvent event) {
    return event(event.decode().toBuilder().setIncarnation(incarnation).build());
  }

  private static CandidateEvent inEpoch(long epoch, CandidateEvent event) {
    return event(event.decode().toBuilder().setEpoch(epoch).build());
  }

  private void allAt(long micros) {
    for (int node = 0; node < Records.NODES; node++) {
      watermarks.observe(progress(node, 0, micros));
    }
  }
}
