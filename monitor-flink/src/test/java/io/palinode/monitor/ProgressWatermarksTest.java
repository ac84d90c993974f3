package io.palinode.monitor;

import static io.palinode.monitor.Records.event;
import static io.palinode.monitor.Records.gap;
import static io.palinode.monitor.Records.opened;
import static io.palinode.monitor.Records.progress;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import org.junit.jupiter.api.Test;

class ProgressWatermarksTest {
  private final ProgressWatermarks watermarks = new ProgressWatermarks(Records.NODES);

  @Test
  void nothingIsCompleteBeforeEveryNodeHasSpoken() {
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
  void aCandidateOnlySaysThatWhatIsBeforeItIsComplete() {
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
  void theWatermarkNeverGoesBack() {
    allAt(50);
    assertThat(watermarks.observe(progress(1, 0, 20))).isFalse();
    assertThat(watermarks.watermark()).isEqualTo(Hlc.ofMicros(50));
  }

  private void allAt(long micros) {
    for (int node = 0; node < Records.NODES; node++) {
      watermarks.observe(progress(node, 0, micros));
    }
  }
}
