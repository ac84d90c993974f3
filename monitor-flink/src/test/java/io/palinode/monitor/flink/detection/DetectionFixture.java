package io.palinode.monitor.flink.detection;

import static io.palinode.monitor.Records.clock;
import static io.palinode.monitor.Records.event;
import static io.palinode.monitor.Records.interval;

import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Notice;
import io.palinode.monitor.Records;
import io.palinode.monitor.flink.Verdict;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.PredicateRecord;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationRecord;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.streaming.api.operators.co.CoBroadcastWithKeyedOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedBroadcastOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * The operator with two terms, x at one node and y at another. ε is 10 µs, and nodes receive each
 * other's clocks within 10 µs.
 */
class DetectionFixture {
  static final String YAML =
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
  static final long LAG = 10;
  KeyedBroadcastOperatorTestHarness<String, CandidateEvent, Notice, Verdict> harness;

  @BeforeEach
  void open() throws Exception {
    harness = harness();
    harness.open();
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  static KeyedBroadcastOperatorTestHarness<String, CandidateEvent, Notice, Verdict> harness()
      throws Exception {
    return harness(DetectionSettings.DEFAULT);
  }

  static KeyedBroadcastOperatorTestHarness<String, CandidateEvent, Notice, Verdict> harness(
      DetectionSettings settings) throws Exception {
    return new KeyedBroadcastOperatorTestHarness<>(
        new CoBroadcastWithKeyedOperator<>(
            new DetectionFunction(Records.NODES, Epsilon.ofMicros(10), settings),
            DetectionFunction.broadcastStates()),
        CandidateEvent::key,
        Types.STRING,
        1,
        1,
        0);
  }

  void learn(long version) throws Exception {
    harness.processBroadcastElement(Notice.predicate(predicate(version, false)), 0);
  }

  static byte[] predicate(long version, boolean deleted) {
    return predicate(YAML, version, deleted);
  }

  static byte[] predicate(String yaml, long version, boolean deleted) {
    return PredicateRecord.newBuilder()
        .setName(Records.PREDICATE)
        .setVersion(version)
        .setYaml(yaml)
        .setDeleted(deleted)
        .build()
        .toByteArray();
  }

  void open(int node, long sequence, int term, long micros) throws Exception {
    apply(Records.opened(node, sequence, interval("", term), clock(node, micros, LAG)));
  }

  void closeAt(
      int node, long sequence, long openedSequence, int term, long fromMicros, long toMicros)
      throws Exception {
    apply(
        Records.closed(
            node,
            sequence,
            openedSequence,
            interval("", term),
            clock(node, fromMicros, LAG),
            clock(node, toMicros, LAG)));
  }

  void apply(CandidateRecord record) throws Exception {
    CandidateEvent event = event(record);
    harness.processElement(event, event.hlc());
  }

  void watermark(long micros) throws Exception {
    harness.watermark(Hlc.ofMicros(micros));
  }

  int keptEntries() {
    return ((HeapKeyedStateBackend<?>) harness.getOperator().getKeyedStateBackend())
        .numKeyValueStateEntries();
  }

  /** All verdicts except the versions in force. */
  List<Verdict> verdicts() {
    return published().stream()
        .filter(verdict -> verdict.kind() != Verdict.Kind.RECORD || !parse(verdict).hasDetecting())
        .toList();
  }

  List<Verdict> published() {
    List<Verdict> verdicts = new ArrayList<>();
    for (Object output : harness.getOutput()) {
      if (output instanceof StreamRecord<?> record
          && record.getValue() instanceof Verdict verdict) {
        verdicts.add(verdict);
      }
    }
    return verdicts;
  }

  /** The last report of each. */
  Collection<Violation> violations() {
    Map<String, Violation> latest = new LinkedHashMap<>();
    for (ViolationRecord record : records()) {
      if (record.hasViolation()) {
        latest.put(record.getViolation().getId(), record.getViolation());
      }
    }
    return latest.values();
  }

  List<String> kinds() {
    return verdicts().stream()
        .map(
            verdict ->
                verdict.kind() != Verdict.Kind.RECORD
                    ? verdict.kind().name()
                    : kind(parse(verdict)))
        .toList();
  }

  private static String kind(ViolationRecord record) {
    return record.hasCoverageLost() ? "COVERAGE_GAP" : record.getRecordCase().name();
  }

  List<ViolationRecord> records() {
    return verdicts().stream()
        .filter(verdict -> verdict.kind() == Verdict.Kind.RECORD)
        .map(DetectionFixture::parse)
        .toList();
  }

  static ViolationRecord parse(Verdict verdict) {
    try {
      return ViolationRecord.parseFrom(verdict.record());
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }
}
