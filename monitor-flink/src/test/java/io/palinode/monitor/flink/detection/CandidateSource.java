package io.palinode.monitor.flink.detection;

import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Notice;
import io.palinode.monitor.Records;
import io.palinode.monitor.judgement.ProgressWatermarks;
import io.palinode.monitor.sequence.KeptBack;
import io.palinode.monitor.sequence.SequenceCheck;
import io.palinode.monitor.sequence.WholeCheck;
import io.palinode.wire.v1.CandidateRecord;

/** Reads the records of nodes as the job's source does, and passes them on to detection. */
final class CandidateSource {
  /** Receives what the source passes on. */
  interface Receiver {
    void event(CandidateEvent event) throws Exception;

    void notice(Notice notice) throws Exception;

    void watermark(long hlc) throws Exception;
  }

  private final Receiver to;
  private SequenceCheck sequences = new SequenceCheck();
  private KeptBack keptBack = new KeptBack();
  private WholeCheck wholes = new WholeCheck();
  private ProgressWatermarks watermarks = new ProgressWatermarks(Records.NODES);

  CandidateSource(Receiver to) {
    this.to = to;
  }

  void read(CandidateRecord record) throws Exception {
    CandidateEvent event = Records.event(record);
    watermarks.observe(event);
    SequenceCheck.Outcome outcome = sequences.observe(event);
    for (Notice notice : outcome.notices()) {
      to.notice(notice);
      if (notice.kind() == Notice.Kind.LOST) {
        wholes.lost(event.channel());
      }
    }
    keptBack.observe(event, outcome.fresh(), this::passOn);
    for (Notice notice : wholes.observe(event, outcome.fresh(), keptBack)) {
      to.notice(notice);
    }
    if (!keptBack.isWaiting() && watermarks.watermark() != ProgressWatermarks.NONE) {
      to.watermark(watermarks.watermark());
    }
  }

  private void passOn(CandidateEvent event) {
    try {
      to.event(event);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Without a checkpoint. */
  void begin() {
    sequences = new SequenceCheck();
    keptBack = new KeptBack();
    wholes = new WholeCheck();
    watermarks = new ProgressWatermarks(Records.NODES);
  }

  /** As from a checkpoint, which has no watermark. */
  void restart() {
    watermarks = new ProgressWatermarks(Records.NODES);
    SequenceCheck restoredSequences = new SequenceCheck();
    restoredSequences.restore(sequences.positions());
    sequences = restoredSequences;
    KeptBack restoredBack = new KeptBack();
    restoredBack.restore(keptBack.states());
    keptBack = restoredBack;
    WholeCheck restoredWholes = new WholeCheck();
    wholes.unexplained().forEach(restoredWholes::restore);
    wholes = restoredWholes;
  }
}
