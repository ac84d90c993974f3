package io.palinode.monitor.flink.detection;

import static io.palinode.monitor.Records.clock;
import static io.palinode.monitor.Records.event;
import static io.palinode.monitor.Records.interval;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Notice;
import io.palinode.monitor.Records;
import io.palinode.monitor.flink.Verdict;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.PredicateRecord;
import io.palinode.wire.v1.ViolationRecord;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.streaming.api.operators.co.CoBroadcastWithKeyedOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedBroadcastOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Limits of a whole subtask: two instances of a predicate, and the heap. */
class InstanceLimitTest {
  private static final String YAML =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: p}
      spec:
        replicas: any
        violation:
          - all:
              - {var: "x", equals: "1"}
              - {var: "y", equals: "1"}
      """;
  private static final long LAG = 10;

  private KeyedBroadcastOperatorTestHarness<String, CandidateEvent, Notice, Verdict> harness;

  @BeforeEach
  void open() throws Exception {
    open(DetectionSettings.DEFAULT.withInstancesMax(2), OperatorSubtaskState.builder().build());
  }

  private void open(DetectionSettings settings, OperatorSubtaskState state) throws Exception {
    harness =
        new KeyedBroadcastOperatorTestHarness<>(
            new CoBroadcastWithKeyedOperator<>(
                new DetectionFunction(Records.NODES, Epsilon.ofMicros(10), settings),
                DetectionFunction.broadcastStates()),
            CandidateEvent::key,
            Types.STRING,
            1,
            1,
            0);
    harness.initializeState(state);
    harness.open();
    PredicateRecord predicate =
        PredicateRecord.newBuilder().setName(Records.PREDICATE).setVersion(1).setYaml(YAML).build();
    harness.processBroadcastElement(Notice.predicate(predicate.toByteArray()), 0);
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  @Test
  void anInstanceBeyondTheLimitIsACoverageGapThatNamesTheLimit() throws Exception {
    opened(0, 1, "a=1", 0, 1_000);
    opened(0, 2, "a=2", 0, 1_000);
    opened(0, 3, "a=3", 0, 1_000);
    opened(0, 4, "a=4", 0, 1_000);
    assertThat(losses())
        .containsExactly(
            "detection of p with a=3 met its limits: it has 2 instances, as many as a predicate"
                + " may (--instances-max)");
    assertThat(kept()).isEqualTo(2);
    opened(1, 1, "a=1", 1, 1_005);
    harness.watermark(Hlc.ofMicros(1_005));
    assertThat(violated()).as("those that are kept are judged").containsExactly("a=1");
  }

  @Test
  void anEndedInstanceMakesRoom() throws Exception {
    opened(0, 1, "a=1", 0, 1_000);
    opened(0, 2, "a=2", 0, 1_000);
    apply(Records.closed(0, 3, 1, interval("a=1", 0), clock(0, 1_000, LAG), clock(0, 1_010, LAG)));
    harness.watermark(Hlc.ofMicros(5_000));
    opened(0, 4, "a=3", 0, 6_000);
    assertThat(losses()).isEmpty();
    assertThat(kept()).isEqualTo(2);
  }

  @Test
  void withoutRoomInTheHeapNothingOpensAndWhatIsOpenEnds() throws Exception {
    opened(0, 1, "a=1", 0, 1_000);
    OperatorSubtaskState kept = harness.snapshot(1, 1);
    close();
    System.gc();
    open(DetectionSettings.DEFAULT.withHeapShareMax(0), kept);
    opened(1, 1, "a=1", 1, 1_005);
    opened(0, 2, "a=2", 0, 1_010);
    assertThat(losses())
        .singleElement()
        .asString()
        .startsWith("detection of p with a=1 met its limits: the heap of the detection job has no");
    assertThat(kept()).isEqualTo(1);
    apply(Records.closed(0, 3, 1, interval("a=1", 0), clock(0, 1_000, LAG), clock(0, 1_010, LAG)));
    harness.watermark(Hlc.ofMicros(5_000));
    assertThat(kept()).isZero();
    assertThat(violated()).isEmpty();
  }

  private void opened(int node, long sequence, String binding, int term, long micros)
      throws Exception {
    apply(Records.opened(node, sequence, interval(binding, term), clock(node, micros, LAG)));
  }

  private void apply(CandidateRecord record) throws Exception {
    CandidateEvent event = event(record);
    harness.processElement(event, event.hlc());
  }

  private int kept() {
    return ((HeapKeyedStateBackend<?>) harness.getOperator().getKeyedStateBackend())
        .numKeyValueStateEntries();
  }

  private List<String> losses() {
    return said().stream()
        .filter(ViolationRecord::hasCoverageLost)
        .map(record -> record.getCoverageLost().getCause())
        .toList();
  }

  private List<String> violated() {
    return said().stream()
        .filter(ViolationRecord::hasViolation)
        .map(record -> record.getViolation().getBinding())
        .distinct()
        .toList();
  }

  private List<ViolationRecord> said() {
    List<ViolationRecord> said = new ArrayList<>();
    for (Object output : harness.getOutput()) {
      if (output instanceof StreamRecord<?> record
          && record.getValue() instanceof Verdict verdict
          && verdict.kind() == Verdict.Kind.RECORD) {
        try {
          said.add(ViolationRecord.parseFrom(verdict.record()));
        } catch (InvalidProtocolBufferException e) {
          throw new AssertionError(e);
        }
      }
    }
    return said;
  }
}
