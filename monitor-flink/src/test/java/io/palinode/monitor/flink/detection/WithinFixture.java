package io.palinode.monitor.flink.detection;

import static io.palinode.monitor.Records.clock;
import static io.palinode.monitor.Records.interval;

import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Notice;
import io.palinode.monitor.Records;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.Progress;
import io.palinode.wire.v1.Searched;
import io.palinode.wire.v1.ViolationRecord;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.junit.jupiter.api.BeforeEach;

/** The operator and its source, with a clause {@code within}: its triggers x, its answers y. */
class WithinFixture extends DetectionFixture implements CandidateSource.Receiver {
  /** 5 ms; ε is 10 µs. */
  static final String WITHIN =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: p}
      spec:
        forEach: {o: "{o}"}
        violation:
          - within:
              time: 5ms
              after: {var: "x_{o}", equals: "1"}
              missing: {var: "y_{o}", equals: "1"}
      """;

  final CandidateSource source = new CandidateSource(this);

  @BeforeEach
  void learnWithin() throws Exception {
    harness.processBroadcastElement(Notice.predicate(predicate(WITHIN, 1, false)), 0);
  }

  @Override
  public void event(CandidateEvent event) throws Exception {
    harness.processElement(event, event.hlc());
  }

  @Override
  public void notice(Notice notice) throws Exception {
    harness.processBroadcastElement(notice, 0);
  }

  @Override
  public void watermark(long hlc) throws Exception {
    harness.watermark(hlc);
  }

  void restart() throws Exception {
    OperatorSubtaskState saved = harness.snapshot(1, 1);
    harness.close();
    harness = harness();
    harness.initializeState(saved);
    harness.open();
    source.restart();
  }

  static CandidateRecord trigger(int node, long sequence, String order, long micros) {
    return Records.opened(node, sequence, of(order, 0), clock(node, micros, LAG));
  }

  static CandidateRecord answer(int node, long sequence, String order, long micros) {
    return Records.opened(node, sequence, of(order, 1), clock(node, micros, LAG));
  }

  static IntervalRef of(String order, int term) {
    return interval("o=" + order, term);
  }

  static CandidateRecord whole(int node, long sequence, long micros) {
    return progress(node, sequence, micros, true);
  }

  static CandidateRecord progress(int node, long sequence, long micros, boolean isWhole) {
    Progress.Builder progress =
        Progress.newBuilder().setHvc(CandidateRecords.encode(clock(node, micros, LAG)));
    if (isWhole) {
      progress.addWhole(Searched.newBuilder().setPredicate(Records.PREDICATE).setVersion(1));
    }
    return Records.of(node, 1, sequence).setProgress(progress).build();
  }

  /** Progress of all nodes, with these last sequences. */
  void allAt(long micros, long... sequences) throws Exception {
    for (int node = 0; node < Records.NODES; node++) {
      source.read(whole(node, sequences[node], micros));
    }
  }

  List<CoverageLost> gaps() {
    return records().stream()
        .filter(ViolationRecord::hasCoverageLost)
        .map(ViolationRecord::getCoverageLost)
        .toList();
  }
}
