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
import io.palinode.wire.v1.Phantom;
import io.palinode.wire.v1.PredicateRecord;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationRecord;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.operators.co.CoBroadcastWithKeyedOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedBroadcastOperatorTestHarness;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Node 0 accepts x and node 1 has a copy, which it ends late. Node 2 accepts y. ε is 10 µs, and
 * nodes receive each other's clocks within 10 µs.
 */
class PhantomsFoundTest {
  private static final long LAG = 10;
  private static final boolean SHADOWED = true;

  private @Nullable KeyedBroadcastOperatorTestHarness<String, CandidateEvent, Notice, Verdict>
      harness;

  @AfterEach
  void close() throws Exception {
    harness().close();
  }

  @Test
  void aViolationOfASlowReplicaIsPublishedAsAPhantomOnceThatIsCertain() throws Exception {
    start("any", !SHADOWED);
    violateBySlowReplica();
    watermark(1_199);
    assertThat(violations()).hasSize(1);
    assertThat(phantoms()).isEmpty();
    watermark(1_300);
    watermark(5_000);
    assertThat(phantoms())
        .singleElement()
        .satisfies(phantom -> assertThat(phantom.getPredicate()).isEqualTo(Records.PREDICATE))
        .satisfies(phantom -> assertThat(phantom.getId()).isEqualTo(violations().get(0).getId()));
  }

  @Test
  void aViolationOfFirstAcceptorsIsNoPhantom() throws Exception {
    start("any", !SHADOWED);
    apply(opened(0, 1, 0, 0, 1_000));
    apply(opened(2, 1, 1, 2, 1_020));
    watermark(5_000);
    assertThat(violations()).isNotEmpty();
    assertThat(phantoms()).isEmpty();
  }

  @Test
  void phantomsOfJoinedReplicasAreCountedOnRequest() throws Exception {
    start("first", SHADOWED);
    violateBySlowReplica();
    watermark(5_000);
    assertThat(violations()).isEmpty();
    assertThat(phantoms()).hasSize(1);
  }

  @Test
  void phantomsOfJoinedReplicasAreNotSearchedByDefault() throws Exception {
    start("first", !SHADOWED);
    violateBySlowReplica();
    watermark(5_000);
    assertThat(violations()).isEmpty();
    assertThat(phantoms()).isEmpty();
  }

  private void start(String replicas, boolean shadowed) throws Exception {
    harness =
        new KeyedBroadcastOperatorTestHarness<>(
            new CoBroadcastWithKeyedOperator<>(
                new DetectionFunction(
                    Records.NODES,
                    Epsilon.ofMicros(10),
                    DetectionSettings.DEFAULT.withPhantomsShadowed(shadowed)),
                DetectionFunction.broadcastStates()),
            CandidateEvent::key,
            Types.STRING,
            1,
            1,
            0);
    harness().open();
    String yaml =
        """
        apiVersion: palinode.io/v1
        kind: Predicate
        metadata: {name: %s}
        spec:
          replicas: %s
          violation:
            - all:
                - {var: "x", equals: "1"}
                - {var: "y", equals: "1"}
        """
            .formatted(Records.PREDICATE, replicas);
    PredicateRecord predicate =
        PredicateRecord.newBuilder().setName(Records.PREDICATE).setVersion(1).setYaml(yaml).build();
    harness().processBroadcastElement(Notice.predicate(predicate.toByteArray()), 0);
  }

  private void violateBySlowReplica() throws Exception {
    apply(opened(0, 1, 0, 0, 1_000));
    apply(opened(1, 1, 0, 0, 1_020));
    apply(Records.closed(0, 2, 1, interval("", 0), clock(0, 1_000, LAG), clock(0, 1_050, LAG)));
    apply(opened(2, 1, 1, 2, 1_200));
  }

  /** An opening at {@code node} of the version that {@code origin} accepted. */
  private static CandidateRecord opened(
      int node, long sequence, int term, int origin, long micros) {
    CandidateRecord record =
        Records.opened(node, sequence, interval("", term), clock(node, micros, LAG));
    return record.toBuilder()
        .setOpened(
            record.getOpened().toBuilder()
                .setValues(0, Records.version("x" + term, origin + 1))
                .setOrigin(origin))
        .build();
  }

  private void apply(CandidateRecord record) throws Exception {
    CandidateEvent event = event(record);
    harness().processElement(event, event.hlc());
  }

  private void watermark(long micros) throws Exception {
    harness().watermark(Hlc.ofMicros(micros));
  }

  private List<Violation> violations() {
    return said().stream()
        .filter(ViolationRecord::hasViolation)
        .map(ViolationRecord::getViolation)
        .toList();
  }

  private List<Phantom> phantoms() {
    return said().stream()
        .filter(ViolationRecord::hasPhantom)
        .map(ViolationRecord::getPhantom)
        .toList();
  }

  private List<ViolationRecord> said() {
    List<ViolationRecord> said = new ArrayList<>();
    for (Object output : harness().getOutput()) {
      if (output instanceof StreamRecord<?> record
          && record.getValue() instanceof Verdict verdict) {
        try {
          said.add(ViolationRecord.parseFrom(verdict.record()));
        } catch (InvalidProtocolBufferException e) {
          throw new AssertionError(e);
        }
      }
    }
    return said;
  }

  private KeyedBroadcastOperatorTestHarness<String, CandidateEvent, Notice, Verdict> harness() {
    return java.util.Objects.requireNonNull(harness);
  }
}
