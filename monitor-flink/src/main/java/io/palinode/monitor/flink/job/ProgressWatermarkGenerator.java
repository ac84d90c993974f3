package io.palinode.monitor.flink.job;

import io.palinode.hvc.Hlc;
import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.judgement.ProgressWatermarks;
import io.palinode.monitor.judgement.ProgressWatermarks.Skipping;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;

/** One partition's watermarks: each is sent on at once, right after the record that moved it. */
final class ProgressWatermarkGenerator implements WatermarkGenerator<CandidateEvent> {
  /** After an outage of Kafka, nodes need some time until they publish again. */
  private static final Duration SKIP_GRACE = Duration.ofSeconds(30);

  private static final long NANOS_PER_MS = 1_000_000;

  private final ProgressWatermarks watermarks;

  /**
   * @param skipAfter how far behind a node is when it is skipped; zero: it never is
   */
  ProgressWatermarkGenerator(int nodes, Duration skipAfter) {
    this.watermarks = new ProgressWatermarks(nodes, skipping(skipAfter));
  }

  private static Skipping skipping(Duration after) {
    return after.isZero()
        ? Skipping.NEVER
        : new Skipping(
            Hlc.ofMicros(after.toMillis() * 1_000),
            SKIP_GRACE.toMillis(),
            () -> System.nanoTime() / NANOS_PER_MS);
  }

  @Override
  public void onEvent(CandidateEvent event, long hlc, WatermarkOutput output) {
    if (watermarks.observe(event)) {
      output.emitWatermark(new Watermark(watermarks.watermark()));
    }
  }

  @Override
  public void onPeriodicEmit(WatermarkOutput output) {
    // The passing of time says nothing about what has arrived.
  }
}
