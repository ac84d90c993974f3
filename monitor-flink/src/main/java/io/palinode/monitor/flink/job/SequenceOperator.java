package io.palinode.monitor.flink.job;

import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Notice;
import java.io.Serial;
import org.apache.flink.streaming.api.operators.ProcessOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * Runs {@link SequenceFunction}, reports the nodes that a watermark skips, and holds the watermark
 * while that function waits for missing records. A function without keys cannot hold watermarks.
 * The source makes watermarks, but has no checkpoint: it knows no hole that began before this run
 * of the job.
 */
final class SequenceOperator extends ProcessOperator<CandidateEvent, CandidateEvent> {
  @Serial private static final long serialVersionUID = 1L;

  private final SequenceFunction sequence;

  /** The latest that was not let through; null: all were. */
  private transient @Nullable Watermark held;

  SequenceOperator(SequenceFunction sequence) {
    super(sequence);
    this.sequence = sequence;
  }

  @Override
  public void processElement(StreamRecord<CandidateEvent> element) throws Exception {
    super.processElement(element);
    Watermark late = held;
    if (late != null && !sequence.isWaiting()) {
      held = null;
      super.processWatermark(late);
    }
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    for (Notice notice : sequence.pass(mark.getTimestamp(), this::handOn)) {
      output.collect(SequenceFunction.NOTICES, new StreamRecord<>(notice));
    }
    // It comes right behind the record that moved it.
    if (sequence.isWaiting()) {
      held = mark;
    } else {
      held = null;
      super.processWatermark(mark);
    }
  }

  private void handOn(CandidateEvent event) {
    output.collect(new StreamRecord<>(event, event.hlc()));
  }
}
