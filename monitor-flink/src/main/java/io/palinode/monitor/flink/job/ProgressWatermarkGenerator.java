package io.palinode.monitor.flink.job;

import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.judgement.ProgressWatermarks;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;

/** One partition's watermarks: each is sent on at once, right after the record that moved it. */
final class ProgressWatermarkGenerator implements WatermarkGenerator<CandidateEvent> {
  private final ProgressWatermarks watermarks;

  ProgressWatermarkGenerator(int nodes) {
    this.watermarks = new ProgressWatermarks(nodes);
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
