package io.palinode.monitor.flink;

import io.palinode.monitor.Notice;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;

/**
 * Predicates have no time. They hold judgement back only at the start, until a whole period has
 * passed without one, so that old candidates are not judged before the predicates are read. (What
 * comes later than that still waits for its predicate by itself.)
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
