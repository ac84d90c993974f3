package io.palinode.monitor.flink.job;

import io.palinode.monitor.Notice;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;

/**
 * Predicates have no time. At the start they hold judgement back until a whole period has passed
 * without one, so that few candidates have to wait. No more than that rests on it: where reading
 * the predicates takes longer, a candidate whose predicate is not known waits, and judgement with
 * it ({@code WaitingRoom}).
 */
final class PredicateWatermarkGenerator implements WatermarkGenerator<Notice> {
  private boolean quiet;

  @Override
  public void onEvent(Notice predicate, long timestamp, WatermarkOutput output) {
    quiet = false;
  }

  @Override
  public void onPeriodicEmit(WatermarkOutput output) {
    if (quiet) {
      output.emitWatermark(Watermark.MAX_WATERMARK);
    }
    quiet = true;
  }
}
