package io.palinode.monitor.flink.detection;

import static io.palinode.monitor.Records.clock;
import static io.palinode.monitor.Records.event;
import static io.palinode.monitor.Records.interval;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Channel;
import io.palinode.monitor.Notice;
import io.palinode.monitor.Records;
import io.palinode.monitor.Sender;
import io.palinode.monitor.flink.Verdict;
import io.palinode.monitor.sequence.SearchCheck;
import io.palinode.monitor.sequence.SequenceCheck;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.Ended;
import io.palinode.wire.v1.Opened;
import io.palinode.wire.v1.PredicateRecord;
import io.palinode.wire.v1.Progress;
import io.palinode.wire.v1.Searched;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationRecord;
import io.palinode.wire.v1.Witness;
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

/** Replicas of a key on all three nodes, which may disagree for at most one second. */
class DivergenceFoundTest {
  private static final String YAML =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: p}
      spec:
        forEach: {u: "{u}"}
        violation:
          - replicasDiverged: {var: "cart_{u}", longerThan: 1s}
      """;
  private static final long SECOND = 1_000_000;

  private final SearchCheck searches = new SearchCheck();
  private KeyedBroadcastOperatorTestHarness<String, CandidateEvent, Notice, Verdict> harness;

  @BeforeEach
  void open() throws Exception {
    open(DetectionSettings.DEFAULT);
  }

  private void open(DetectionSettings settings) throws Exception {
    harness = harness(settings);
    harness.open();
    PredicateRecord predicate =
        PredicateRecord.newBuilder().setName(Records.PREDICATE).setVersion(1).setYaml(YAML).build();
    harness.processBroadcastElement(Notice.predicate(predicate.toByteArray()), 0);
  }

  private static KeyedBroadcastOperatorTestHarness<String, CandidateEvent, Notice, Verdict> harness(
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

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  @Test
  void theWatermarkAloneShowsThatACopyIsMissing() throws Exception {
    searchAll();
    publish(0, 1, 7, 2_000);
    publish(2, 1, 7, 2_500);
    harness.watermark(Hlc.ofMicros(2_000 + SECOND + 9));
    assertThat(violations()).as("not before ε more has passed").isEmpty();
    harness.watermark(Hlc.ofMicros(2_000 + SECOND + 10));
    Violation found = violations().get(0);
    assertThat(found.getWitnessesList()).extracting(Witness::getNode).containsExactly(0, 1, 2);
    assertThat(found.getFirst()).isEqualTo(Hlc.ofMicros(2_000));
    assertThat(found.getViolate()).isEqualTo(Hlc.ofMicros(2_000 + SECOND + 10));
    harness.watermark(Hlc.ofMicros(100 * SECOND));
    assertThat(violations()).as("once").hasSize(1);
  }

  @Test
  void aCopyThatComesInTimeIsNotReported() throws Exception {
    searchAll();
    publish(0, 1, 7, 2_000);
    publish(2, 1, 7, 2_500);
    publish(1, 1, 7, 2_000 + SECOND);
    harness.watermark(Hlc.ofMicros(100 * SECOND));
    assertThat(violations()).isEmpty();
    assertThat(kept()).as("its state is kept").isEqualTo(1);
  }

  @Test
  void aKeyThatIsAbsentEverywhereIsForgotten() throws Exception {
    searchAll();
    publish(0, 1, 7, 2_000);
    publish(0, 2, 0, 3_000);
    harness.watermark(Hlc.ofMicros(SECOND));
    assertThat(violations()).isEmpty();
    assertThat(kept()).isZero();
  }

  /** A node may publish the key again before it has published all its states. */
  @Test
  void aKeyThatIsAbsentEverywhereIsForgottenOnceAllHaveSearched() throws Exception {
    for (int node = 0; node < Records.NODES; node++) {
      publish(node, 1, 0, 500);
    }
    harness.watermark(Hlc.ofMicros(900));
    assertThat(kept()).isEqualTo(1);
    searchAll();
    harness.watermark(Hlc.ofMicros(10 * SECOND));
    assertThat(kept()).isZero();
  }

  @Test
  void aStateWithoutRoomIsNotTakenForAbsentLater() throws Exception {
    harness.close();
    open(DetectionSettings.DEFAULT.withInstancesMax(1));
    searchAll();
    publish("1", 0, 1, 7, 2_000);
    publish("2", 0, 2, 7, 2_000);
    publish("1", 0, 3, 0, 3_000);
    harness.watermark(Hlc.ofMicros(SECOND));
    assertThat(kept()).as("now there is room").isZero();
    publish("2", 1, 1, 7, 2 * SECOND);
    publish("2", 2, 1, 7, 2 * SECOND);
    harness.watermark(Hlc.ofMicros(10 * SECOND));
    assertThat(violations()).as("the first node has it too").isEmpty();
    publish("2", 0, 4, 8, 11 * SECOND);
    harness.watermark(Hlc.ofMicros(20 * SECOND));
    assertThat(violations()).as("once all have published").hasSize(1);
  }

  @Test
  void aNodeThatStillSearchesIsNotCompared() throws Exception {
    search(0, 1_000);
    publish(0, 1, 7, 2_000);
    harness.watermark(Hlc.ofMicros(10 * SECOND));
    assertThat(violations()).isEmpty();
    search(1, 11 * SECOND);
    harness.watermark(Hlc.ofMicros(20 * SECOND));
    harness.watermark(Hlc.ofMicros(21 * SECOND));
    assertThat(violations()).hasSize(1);
    assertThat(violations().get(0).getFirst()).isEqualTo(Hlc.ofMicros(11 * SECOND));
  }

  /** The state may wait for another record while the search is read. */
  @Test
  void aLateStateIsNotTakenForAbsent() throws Exception {
    searchAll();
    publish(0, 1, 7, 900);
    publish(2, 1, 7, 900);
    harness.watermark(Hlc.ofMicros(SECOND / 2));
    publish(1, 1, 7, 900);
    harness.watermark(Hlc.ofMicros(100 * SECOND));
    assertThat(violations()).isEmpty();
  }

  /** For example if the topic's first records are gone when a job starts. */
  @Test
  void theSearchOfANodeWithACoverageGapDoesNotCount() throws Exception {
    SequenceCheck sequences = new SequenceCheck();
    CandidateEvent third = event(Records.of(1, 1, 3).setProgress(progress(1, 2_000)).build());
    for (Notice notice : sequences.observe(third).notices()) {
      if (notice.kind() == Notice.Kind.LOST) {
        searches.lost(third, CoverageLost.parseFrom(notice.body()));
      }
    }
    assertThat(searches.broken()).containsExactly(new Sender(new Channel(0, 1), 1, 0));
    assertThat(searches.observe(third)).isEmpty();
    SearchCheck restored = new SearchCheck();
    for (Sender broken : searches.broken()) {
      restored.restore(List.of(Sender.parse(broken.toString())));
    }
    assertThat(restored.observe(third)).isEmpty();
    CandidateEvent nextEpoch =
        event(Records.of(1, 1, 4).setEpoch(1).setProgress(progress(1, 3_000)).build());
    assertThat(restored.observe(nextEpoch)).as("it publishes all states again").hasSize(1);
  }

  @Test
  void aCheckpointKeepsDivergedKeys() throws Exception {
    searchAll();
    publish(0, 1, 7, 2_000);
    harness.watermark(Hlc.ofMicros(SECOND / 2));
    restore();
    harness.watermark(Hlc.ofMicros(2 * SECOND));
    assertThat(violations()).hasSize(1);
  }

  @Test
  void theEndOfAnEpisodeIsPublishedWhenAllReplicasAgree() throws Exception {
    searchAll();
    publish(0, 1, 7, 2_000);
    harness.watermark(Hlc.ofMicros(2 * SECOND));
    String id = violations().get(0).getId();
    restore();
    publish(1, 1, 7, 3 * SECOND);
    harness.watermark(Hlc.ofMicros(4 * SECOND));
    assertThat(ends()).as("node 2 lacks it").isEmpty();
    publish(2, 1, 7, 5 * SECOND);
    harness.watermark(Hlc.ofMicros(6 * SECOND));
    assertThat(ends())
        .containsExactly(Ended.newBuilder().setId(id).setHlc(Hlc.ofMicros(5 * SECOND)).build());
  }

  private void restore() throws Exception {
    OperatorSubtaskState checkpoint = harness.snapshot(1, 1);
    harness.close();
    harness = harness(DetectionSettings.DEFAULT);
    harness.initializeState(checkpoint);
    harness.open();
  }

  private void searchAll() throws Exception {
    for (int node = 0; node < Records.NODES; node++) {
      search(node, 1_000 + node);
    }
  }

  private void search(int node, long micros) throws Exception {
    CandidateRecord record = Records.of(node, 1, 0).setProgress(progress(node, micros)).build();
    List<Notice> notices = searches.observe(event(record));
    assertThat(notices).hasSize(1);
    assertThat(searches.observe(event(record))).as("once").isEmpty();
    harness.processBroadcastElement(notices.get(0), 0);
  }

  private static Progress progress(int node, long micros) {
    return Progress.newBuilder()
        .setHvc(CandidateRecords.encode(clock(node, micros, 0)))
        .addSearched(Searched.newBuilder().setPredicate(Records.PREDICATE).setVersion(1))
        .build();
  }

  private void publish(int node, long sequence, long digest, long micros) throws Exception {
    publish("1", node, sequence, digest, micros);
  }

  private void publish(String user, int node, long sequence, long digest, long micros)
      throws Exception {
    VariableVersion key =
        VariableVersion.newBuilder()
            .setStore("s")
            .setKey(ByteString.copyFromUtf8("cart_" + user))
            .build();
    CandidateRecord record =
        Records.of(node, 1, sequence)
            .setOpened(
                Opened.newBuilder()
                    .setInterval(interval("u=" + user, 0))
                    .setStart(CandidateRecords.encode(clock(node, micros, 0)))
                    .addValues(key)
                    .setDigest(digest)
                    .addAllReplicas(List.of(0, 1, 2)))
            .build();
    harness.processElement(event(record), event(record).hlc());
  }

  private int kept() {
    return ((HeapKeyedStateBackend<?>) harness.getOperator().getKeyedStateBackend())
        .numKeyValueStateEntries();
  }

  private List<Violation> violations() throws InvalidProtocolBufferException {
    return records().stream()
        .filter(ViolationRecord::hasViolation)
        .map(ViolationRecord::getViolation)
        .toList();
  }

  private List<Ended> ends() throws InvalidProtocolBufferException {
    return records().stream()
        .filter(ViolationRecord::hasEnded)
        .map(ViolationRecord::getEnded)
        .toList();
  }

  private List<ViolationRecord> records() throws InvalidProtocolBufferException {
    List<ViolationRecord> records = new ArrayList<>();
    for (Object output : harness.getOutput()) {
      if (output instanceof StreamRecord<?> record
          && record.getValue() instanceof Verdict verdict
          && verdict.kind() == Verdict.Kind.RECORD) {
        records.add(ViolationRecord.parseFrom(verdict.record()));
      }
    }
    return records;
  }
}
