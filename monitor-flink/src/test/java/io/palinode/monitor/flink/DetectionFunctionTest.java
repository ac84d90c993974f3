package io.palinode.monitor.flink;

import static io.palinode.monitor.Records.clock;
import static io.palinode.monitor.Records.event;
import static io.palinode.monitor.Records.interval;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.detection.DetectionLimits;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.HvcCodec;
import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Notice;
import io.palinode.monitor.ProgressWatermarks;
import io.palinode.monitor.Records;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.Detecting;
import io.palinode.wire.v1.Opened;
import io.palinode.wire.v1.PredicateRecord;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import io.palinode.wire.v1.ViolationRecord;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.streaming.api.operators.co.CoBroadcastWithKeyedOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedBroadcastOperatorTestHarness;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two terms, x at one node and y at another; ε is 10 µs, and nodes receive each other's clocks
 * within 10 µs.
 */
class DetectionFunctionTest {
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

  private final ProgressWatermarks watermarks = new ProgressWatermarks(Records.NODES);
  private KeyedBroadcastOperatorTestHarness<String, CandidateEvent, Notice, Verdict> harness;

  @BeforeEach
  void open() throws Exception {
    harness = harness();
    harness.open();
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  @Test
  void twoIntervalsThatHoldTogetherAreAViolation() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    open(1, 1, 1, 1_005);
    watermark(1_005);
    assertThat(violations())
        .singleElement()
        .satisfies(found -> assertThat(found.getFirst()).isEqualTo(Hlc.ofMicros(1_000)))
        .satisfies(found -> assertThat(found.getViolate()).isEqualTo(Hlc.ofMicros(1_005)))
        .satisfies(found -> assertThat(found.getPredicateVersion()).isEqualTo(1));
  }

  @Test
  void aGradeThatRisesIsPublishedAgainUnderTheSameId() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    open(1, 1, 1, 1_005);
    watermark(1_100);
    assertThat(kinds()).containsExactly("VIOLATION", "VIOLATION");
    assertThat(violations())
        .singleElement()
        .satisfies(found -> assertThat(found.getGrade()).isEqualTo(ViolationGrade.DEFINITE));
  }

  @Test
  void aViolationStandsBeforeTheWatermarkThatPassesIt() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    open(1, 1, 1, 1_005);
    watermark(1_005);
    assertThat(harness.getOutput()).last().isInstanceOf(Watermark.class);
  }

  @Test
  void intervalsThatAreFarApartAreNone() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    closeAt(0, 2, 1, 0, 1_000, 1_010);
    open(1, 1, 1, 1_100);
    watermark(1_200);
    assertThat(violations()).isEmpty();
  }

  @Test
  void theOrderInWhichNodesArriveChangesNothing() throws Exception {
    learn(1);
    open(1, 1, 1, 1_100);
    open(0, 1, 0, 1_000);
    closeAt(0, 2, 1, 0, 1_000, 1_010);
    watermark(1_200);
    assertThat(violations()).isEmpty();
  }

  @Test
  void aLimitOfDetectionIsReportedAsACoverageGapOncePerSecond() throws Exception {
    harness.close();
    harness =
        harness(DetectionSettings.DEFAULT.withLimits(DetectionLimits.DEFAULT.withIntervalsMax(1)));
    harness.open();
    learn(1);
    open(0, 1, 0, 1_000);
    assertThat(kinds()).isEmpty();
    open(0, 2, 0, 1_010);
    open(0, 3, 0, 1_020);
    assertThat(records())
        .singleElement()
        .satisfies(
            record ->
                assertThat(record.getCoverageLost())
                    .isEqualTo(
                        CoverageLost.newBuilder()
                            .setToHlc(Hlc.ofMicros(1_010))
                            .setCause(
                                "detection of p met its limits: more than 1 intervals overlap or"
                                    + " are open (--intervals-max)")
                            .build()));
    open(0, 4, 0, 2_000_000);
    assertThat(kinds()).containsExactly("COVERAGE_GAP", "COVERAGE_GAP");
  }

  @Test
  void nothingIsKeptOfEndedIntervals() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    closeAt(0, 2, 1, 0, 1_000, 1_010);
    open(1, 1, 1, 1_100);
    closeAt(1, 2, 1, 1, 1_100, 1_110);
    assertThat(keptEntries()).isPositive();
    watermark(5_000);
    assertThat(keptEntries()).isZero();
    assertThat(harness.numEventTimeTimers()).isZero();
  }

  @Test
  void anEventOfAnUnknownVersionWaitsAndHoldsJudgementBack() throws Exception {
    harness.setProcessingTime(100);
    open(0, 1, 0, 1_000);
    open(1, 1, 1, 1_005);
    watermark(2_000);
    assertThat(kinds()).containsExactly("HOLD");
    assertThat(verdicts().get(0).hlc()).isEqualTo(Hlc.ofMicros(1_000));
    assertThat(harness.getOutput()).last().isInstanceOf(Watermark.class);
    learn(1);
    harness.setProcessingTime(120);
    assertThat(kinds()).startsWith("HOLD", "VIOLATION").endsWith("RELEASE");
    assertThat(keptEntries()).isOne();
  }

  /** The watermark has passed all of them; it does not cover events that still wait. */
  @Test
  void eventsThatWaitedAreJudgedTogether() throws Exception {
    harness.setProcessingTime(100);
    open(0, 1, 0, 1_000);
    closeAt(0, 2, 1, 0, 1_000, 1_100);
    open(1, 1, 1, 1_005);
    watermark(2_000);
    learn(1);
    harness.setProcessingTime(120);
    assertThat(violations()).hasSize(1);
  }

  @Test
  void anIntervalThatEndedWhileItWaitedIsNotOpen() throws Exception {
    harness.setProcessingTime(100);
    open(0, 1, 0, 1_000);
    open(1, 1, 1, 1_500);
    closeAt(0, 2, 1, 0, 1_000, 1_100);
    watermark(2_000);
    learn(1);
    harness.setProcessingTime(120);
    assertThat(violations()).isEmpty();
  }

  @Test
  void aVersionThatNeverComesIsACoverageGapAfterTheLimit() throws Exception {
    harness.setProcessingTime(100);
    open(0, 1, 0, 1_000);
    watermark(2_000);
    harness.setProcessingTime(100 + WaitingRoom.WAIT_MS_MAX);
    assertThat(kinds()).containsExactly("HOLD", "COVERAGE_GAP", "RELEASE");
    assertThat(keptEntries()).isZero();
  }

  /** The timers may come before the predicates are read again. */
  @Test
  void waitingEventsWaitUntilARestartedJobHasReadThePredicates() throws Exception {
    harness.setProcessingTime(100);
    open(0, 1, 0, 1_000);
    open(1, 1, 1, 1_005);
    OperatorSubtaskState snapshot = harness.snapshot(1, 100);
    harness.close();
    harness = harness();
    harness.initializeState(snapshot);
    harness.open();
    long later = 100 + 2 * WaitingRoom.WAIT_MS_MAX;
    harness.setProcessingTime(later);
    assertThat(kinds()).isEmpty();
    learn(1);
    harness.setProcessingTime(later + 20);
    assertThat(violations()).hasSize(1);

    openOf(2, 1, 2, 1, 1_010);
    harness.setProcessingTime(later + 20 + WaitingRoom.WAIT_MS_MAX);
    assertThat(kinds()).as("not longer than the limit").endsWith("COVERAGE_GAP");
  }

  @Test
  void candidatesOfAReplacedVersionAreDroppedWithTheirState() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    learn(2);
    open(1, 1, 1, 1_005);
    watermark(2_000);
    assertThat(violations()).isEmpty();
    apply(
        Records.opened(
            1,
            2,
            interval("", 1).toBuilder().setPredicateVersion(2).build(),
            clock(1, 2_005, LAG)));
    watermark(3_000);
    assertThat(violations()).isEmpty();
  }

  /** A node publishes candidates of the replaced version while it scans. */
  @Test
  void candidatesOfAReplacedVersionAreACoverageGapOncePerSecond() throws Exception {
    learn(1);
    open(0, 1, 0, 900);
    byte[] next =
        PredicateRecord.parseFrom(predicate(2, false)).toBuilder()
            .setAppliedAtMicros(1_000)
            .build()
            .toByteArray();
    harness.processBroadcastElement(Notice.predicate(next), 0);
    open(0, 2, 0, 950);
    assertThat(kinds()).as("the older version was in force then").isEmpty();
    open(1, 1, 1, 1_005);
    open(1, 2, 1, 1_010);
    assertThat(records())
        .extracting(ViolationRecord::getCoverageLost)
        .singleElement()
        .satisfies(
            lost -> {
              assertThat(lost.getNode()).isEqualTo(1);
              assertThat(lost.getFromHlc()).isEqualTo(Hlc.ofMicros(1_000));
              assertThat(lost.getToHlc()).isEqualTo(Hlc.ofMicros(1_005));
              assertThat(lost.getCause())
                  .isEqualTo("node 1 does not watch version 2 of " + Records.PREDICATE + " yet");
            });
    open(1, 3, 1, 2_000_000);
    assertThat(kinds()).as("it continues").containsExactly("COVERAGE_GAP", "COVERAGE_GAP");
    harness.processBroadcastElement(Notice.predicate(predicate(3, true)), 0);
    open(1, 4, 1, 4_000_000);
    assertThat(kinds()).as("of a deleted predicate nothing is missed").hasSize(2);
  }

  @Test
  void aViolationHasCandidatesOfOneVersionAndNamesIt() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    learn(2);
    openOf(2, 1, 1, 1, 1_005);
    openOf(1, 0, 2, 0, 1_010);
    watermark(2_000);
    assertThat(violations()).as("one term of each version").isEmpty();
    openOf(2, 0, 3, 0, 2_020);
    watermark(3_000);
    assertThat(violations())
        .singleElement()
        .satisfies(
            found -> {
              assertThat(found.getPredicateVersion()).isEqualTo(2);
              assertThat(found.getWitnessesList())
                  .extracting(witness -> witness.getNode() + ":" + witness.getSequence())
                  .containsExactly("0:3", "1:1");
            });
  }

  @Test
  void theVersionInForceIsPublishedOnceWithItsText() throws Exception {
    learn(1);
    learn(1);
    learn(3);
    learn(2);
    List<Detecting> versions =
        published().stream().map(verdict -> parse(verdict).getDetecting()).toList();
    assertThat(versions).extracting(Detecting::getVersion).containsExactly(1L, 3L);
    assertThat(versions.get(0).getPredicate()).isEqualTo(Records.PREDICATE);
    assertThat(versions.get(0).getSubtasks()).isEqualTo(1);
    assertThat(versions.get(0).getYaml()).isEqualTo(YAML);
  }

  private void openOf(long version, int node, long sequence, int term, long micros)
      throws Exception {
    apply(
        Records.opened(
            node,
            sequence,
            interval("", term).toBuilder().setPredicateVersion(version).build(),
            clock(node, micros, LAG)));
  }

  @Test
  void nothingIsReportedOrKeptOfADeletedPredicate() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    harness.processBroadcastElement(Notice.predicate(predicate(2, true)), 0);
    open(1, 1, 1, 1_005);
    watermark(60_000_000);
    assertThat(verdicts()).isEmpty();
    assertThat(keptEntries()).isZero();
  }

  @Test
  void aNewerEpochDropsTheOpenIntervalsOfTheEarlierOne() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    apply(epoch(1, Records.opened(1, 1, interval("", 1), clock(1, 1_005, LAG))));
    watermark(2_000);
    assertThat(violations()).isEmpty();
    apply(epoch(1, Records.opened(0, 2, interval("", 0), clock(0, 2_005, LAG))));
    watermark(3_000);
    assertThat(violations())
        .singleElement()
        .satisfies(found -> assertThat(found.getEpoch()).isEqualTo(1));
  }

  @Test
  void candidatesOfAnOlderEpochAreDropped() throws Exception {
    learn(1);
    apply(epoch(2, Records.opened(1, 1, interval("", 1), clock(1, 1_005, LAG))));
    open(0, 1, 0, 1_006);
    watermark(2_000);
    assertThat(violations()).isEmpty();
  }

  @Test
  void idleStateOfAnOldEpochIsDroppedInTime() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    watermark(2_000);
    assertThat(keptEntries()).isOne();
    CandidateEvent newer = event(epoch(1, Records.progress(0, 1, clock(0, 3_000, LAG))));
    harness.processBroadcastElement(Notice.epoch(newer), 0);
    watermark(25_000_000);
    assertThat(keptEntries()).isZero();
  }

  @Test
  void intervalsOfALateNodeAreJudgedWithThoseThatEndedElsewhere() throws Exception {
    learn(1);
    twoNodesOpenTheEpochAndOneIsLate();
    arrive(epoch(1, Records.opened(1, 1, interval("", 1), clock(1, 1_000, LAG))));
    allReach(2_000);
    assertThat(violations()).hasSize(1);
  }

  @Test
  void aVersionThatANodeFindsLateEndsWhereItWasSuperseded() throws Exception {
    harness.processBroadcastElement(
        Notice.predicate(predicate(YAML.replace("any", "first"), 1, false)), 0);
    twoNodesOpenTheEpochAndOneIsLate();
    CandidateRecord writtenLater = Records.opened(2, 1, interval("", 1), clock(2, 1_200, LAG));
    arrive(
        epoch(
            1,
            writtenLater.toBuilder()
                .setOpened(writtenLater.getOpened().toBuilder().setOrigin(2))
                .build()));
    CandidateRecord found = Records.opened(1, 1, interval("", 0), clock(1, 1_000, LAG));
    arrive(
        epoch(
            1,
            found.toBuilder()
                .setOpened(found.getOpened().toBuilder().setValues(0, Records.version("x0", 1)))
                .build()));
    allReach(2_000);
    assertThat(violations()).isEmpty();
  }

  /** Node 1 still publishes in the old epoch while node 0 has ended an interval. */
  private void twoNodesOpenTheEpochAndOneIsLate() throws Exception {
    for (int node = 0; node < Records.NODES; node++) {
      arrive(Records.progress(node, 0, clock(node, 900, LAG)));
    }
    arrive(epoch(1, Records.opened(0, 1, interval("", 0), clock(0, 1_000, LAG))));
    arrive(
        epoch(
            1,
            Records.closed(0, 2, 1, interval("", 0), clock(0, 1_000, LAG), clock(0, 1_100, LAG))));
    arrive(Records.progress(1, 0, clock(1, 1_300, LAG)));
    arrive(epoch(1, Records.progress(0, 2, clock(0, 1_300, LAG))));
    arrive(epoch(1, Records.progress(2, 0, clock(2, 1_150, LAG))));
  }

  private void allReach(long micros) throws Exception {
    for (int node = 0; node < Records.NODES; node++) {
      arrive(epoch(1, Records.progress(node, 2, clock(node, micros, LAG))));
    }
  }

  /** A timer set for the past must not fire again within one step of the watermark. */
  @Test
  @Timeout(20)
  void aKilledNodeThatFindsASupersededVersionHoldsNothingUp() throws Exception {
    byte[] first = predicate(YAML.replace("any", "first"), 1, false);
    harness.processBroadcastElement(Notice.predicate(first), 0);
    for (int node = 0; node < Records.NODES; node++) {
      arrive(Records.progress(node, 0, clock(node, 900, LAG)));
    }
    // Node 0 accepted x@1, its client copied it to node 1, and node 0 was killed before it
    // published.
    arrive(ofVersion(Records.opened(1, 1, interval("", 0), clock(1, 950, LAG)), 0));
    CandidateRecord superseded =
        Records.closed(1, 2, 1, interval("", 0), clock(1, 950, LAG), clock(1, 1_000, LAG));
    arrive(
        superseded.toBuilder()
            .setClosed(superseded.getClosed().toBuilder().setOpenedBy(Records.version("x0", 1)))
            .build());
    for (int node = 1; node < Records.NODES; node++) {
      arrive(Records.progress(node, node == 1 ? 2 : 0, clock(node, 2_100, LAG)));
    }
    // Node 0 restarts and finds x@1.
    CandidateRecord found = Records.opened(0, 1, interval("", 0), clock(0, 2_000, LAG));
    arrive(ofVersion(found.toBuilder().setIncarnation(2).build(), null));
    assertThat(harness.getOutput()).last().isInstanceOf(Watermark.class);
  }

  private static CandidateRecord ofVersion(CandidateRecord record, @Nullable Integer origin) {
    Opened.Builder opened = record.getOpened().toBuilder().setValues(0, Records.version("x0", 1));
    if (origin != null) {
      opened.setOrigin(origin);
    }
    return record.toBuilder().setOpened(opened).build();
  }

  private void arrive(CandidateRecord record) throws Exception {
    CandidateEvent event = event(record);
    if (!event.key().isEmpty()) {
      harness.processElement(event, event.hlc());
    }
    if (watermarks.observe(event)) {
      harness.watermark(watermarks.watermark());
    }
  }

  @Test
  void anOpenIntervalIsKeptAsLongAsItIsOpen() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    for (int seconds = 1; seconds <= 100; seconds++) {
      watermark(seconds * 1_000_000L);
    }
    assertThat(keptEntries()).isOne();
    open(1, 1, 1, 100_500_000);
    watermark(101_000_000);
    assertThat(violations()).hasSize(1);
  }

  @Test
  void aRestartEndsTheOpenIntervalsOfItsNode() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    restart(0, 2_000);
    watermark(2_000);
    open(1, 1, 1, 2_100);
    watermark(2_200);
    assertThat(violations()).isEmpty();
  }

  /** An instance is updated at its next event, which may follow all restarts. */
  @Test
  void ofManyRestartsTheFirstEndsTheOpenIntervals() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    for (int incarnation = 2; incarnation < 2 + RestartBook.KEPT_MAX; incarnation++) {
      restart(0, incarnation, incarnation * 1_000L);
    }
    open(1, 1, 1, 2_500);
    watermark(100_000);
    assertThat(violations()).isEmpty();
  }

  @Test
  void aLimitedNumberOfRestartsIsKept() throws Exception {
    learn(1);
    for (int incarnation = 2; incarnation < 100; incarnation++) {
      restart(0, incarnation, incarnation * 1_000L);
      restart(1, incarnation, incarnation * 1_000L);
    }
    assertThat(
            harness
                .getOperator()
                .getOperatorStateBackend()
                .getBroadcastState(RestartBook.STATE)
                .immutableEntries())
        .hasSize(2 * RestartBook.KEPT_MAX);
  }

  @Test
  void aRestartDoesNotReachBackBeforeItself() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    restart(0, 2_000);
    open(1, 1, 1, 1_500);
    watermark(2_200);
    assertThat(violations()).hasSize(1);
  }

  @Test
  void anEventThatDoesNotFitItsPredicateIsACoverageGap() throws Exception {
    learn(1);
    open(0, 1, 7, 1_000);
    assertThat(kinds()).containsExactly("COVERAGE_GAP");
  }

  @Test
  void aRestoredOperatorContinuesWhereItWas() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    OperatorSubtaskState snapshot = harness.snapshot(1, 1);
    harness.close();
    harness = harness();
    harness.initializeState(snapshot);
    harness.open();
    open(1, 1, 1, 1_005);
    watermark(2_000);
    assertThat(violations()).hasSize(1);
  }

  private static KeyedBroadcastOperatorTestHarness<String, CandidateEvent, Notice, Verdict>
      harness() throws Exception {
    return harness(DetectionSettings.DEFAULT);
  }

  private static KeyedBroadcastOperatorTestHarness<String, CandidateEvent, Notice, Verdict> harness(
      DetectionSettings settings) throws Exception {
    return new KeyedBroadcastOperatorTestHarness<>(
        new CoBroadcastWithKeyedOperator<>(
            new DetectionFunction(Records.NODES, Epsilon.ofMicros(10), settings),
            List.of(
                PredicateBook.STATE, RestartBook.STATE, SearchBook.STATE, DetectionFunction.EPOCH)),
        CandidateEvent::key,
        Types.STRING,
        1,
        1,
        0);
  }

  private void learn(long version) throws Exception {
    harness.processBroadcastElement(Notice.predicate(predicate(version, false)), 0);
  }

  private static byte[] predicate(long version, boolean deleted) {
    return predicate(YAML, version, deleted);
  }

  private static byte[] predicate(String yaml, long version, boolean deleted) {
    return PredicateRecord.newBuilder()
        .setName(Records.PREDICATE)
        .setVersion(version)
        .setYaml(yaml)
        .setDeleted(deleted)
        .build()
        .toByteArray();
  }

  private void open(int node, long sequence, int term, long micros) throws Exception {
    apply(Records.opened(node, sequence, interval("", term), clock(node, micros, LAG)));
  }

  private void closeAt(
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

  private void restart(int node, long micros) throws Exception {
    restart(node, 2, micros);
  }

  private void restart(int node, long incarnation, long micros) throws Exception {
    CandidateRecord first =
        Records.progress(node, 0, clock(node, micros, LAG)).toBuilder()
            .setIncarnation(incarnation)
            .build();
    harness.processBroadcastElement(
        Notice.restarted(event(first), HvcCodec.encode(clock(node, micros, LAG))), 0);
  }

  private void apply(CandidateRecord record) throws Exception {
    CandidateEvent event = event(record);
    harness.processElement(event, event.hlc());
  }

  private static CandidateRecord epoch(long epoch, CandidateRecord record) {
    return record.toBuilder().setEpoch(epoch).build();
  }

  private void watermark(long micros) throws Exception {
    harness.watermark(Hlc.ofMicros(micros));
  }

  private int keptEntries() {
    return ((HeapKeyedStateBackend<?>) harness.getOperator().getKeyedStateBackend())
        .numKeyValueStateEntries();
  }

  /** All verdicts except the versions in force. */
  private List<Verdict> verdicts() {
    return published().stream()
        .filter(verdict -> verdict.kind() != Verdict.Kind.RECORD || !parse(verdict).hasDetecting())
        .toList();
  }

  private List<Verdict> published() {
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
  private Collection<Violation> violations() {
    Map<String, Violation> latest = new LinkedHashMap<>();
    for (ViolationRecord record : records()) {
      if (record.hasViolation()) {
        latest.put(record.getViolation().getId(), record.getViolation());
      }
    }
    return latest.values();
  }

  private List<String> kinds() {
    return verdicts().stream()
        .map(
            verdict ->
                verdict.kind() != Verdict.Kind.RECORD
                    ? verdict.kind().name()
                    : parse(verdict).hasViolation() ? "VIOLATION" : "COVERAGE_GAP")
        .toList();
  }

  private List<ViolationRecord> records() {
    return verdicts().stream()
        .filter(verdict -> verdict.kind() == Verdict.Kind.RECORD)
        .map(DetectionFunctionTest::parse)
        .toList();
  }

  private static ViolationRecord parse(Verdict verdict) {
    try {
      return ViolationRecord.parseFrom(verdict.record());
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }
}
