package io.palinode.monitor.flink.job;

import static io.palinode.monitor.Notice.Kind.LOST;
import static io.palinode.monitor.Notice.Kind.RESTARTED;
import static io.palinode.monitor.Records.event;
import static io.palinode.monitor.Records.gap;
import static io.palinode.monitor.Records.opened;
import static io.palinode.monitor.Records.progress;
import static io.palinode.monitor.Records.stopped;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Notice;
import io.palinode.monitor.Records;
import io.palinode.monitor.Restart;
import io.palinode.monitor.Search;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.Searched;
import java.util.Collection;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SequenceFunctionTest {
  private OneInputStreamOperatorTestHarness<CandidateEvent, CandidateEvent> harness;

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
  void openingsPassOnceAndProgressEndsHere() throws Exception {
    process(opened(0, 1, 10), opened(0, 1, 10), progress(0, 1, 20));
    assertThat(harness.extractOutputValues()).hasSize(1);
    assertThat(harness.getSideOutput(SequenceFunction.NOTICES)).isNull();
  }

  @Test
  void aGapIsReported() throws Exception {
    process(opened(0, 1, 10), event(gap(0, 2, 3, 11, 12)));
    assertThat(harness.getSideOutput(SequenceFunction.NOTICES))
        .singleElement()
        .satisfies(record -> assertThat(record.getValue().kind()).isEqualTo(Notice.Kind.LOST));
  }

  /** A later event of the node would show that the interval continues. */
  @Test
  void eventsBehindARefusedEndWaitForItAndFollowIt() throws Exception {
    process(opened(0, 1, 10), opened(0, 3, 30), progress(0, 3, 35));
    assertThat(harness.extractOutputValues()).as("number 2 is missing").hasSize(1);
    process(event(gap(0, 2, 2, 20, 20)), opened(0, 4, 20), opened(1, 1, 40));
    assertThat(harness.extractOutputValues()).as("of another node").hasSize(2);
    process(progress(0, 4, 40), opened(0, 5, 50));
    assertThat(harness.extractOutputValues())
        .extracting(CandidateEvent::sequence)
        .containsExactly(1L, 1L, 4L, 3L, 5L);
  }

  /** Else the missing end would follow events which show that its interval continues. */
  @Test
  void waitingEventsAreInCheckpointsAndWaitAfterARestart() throws Exception {
    process(opened(0, 1, 10), opened(0, 3, 30));
    restart(harness.snapshot(1, 1));
    process(progress(0, 3, 35));
    assertThat(harness.extractOutputValues()).isEmpty();
    process(event(gap(0, 2, 2, 20, 20)), opened(0, 4, 20), progress(0, 4, 40));
    assertThat(harness.extractOutputValues())
        .extracting(CandidateEvent::sequence)
        .containsExactly(4L, 3L);
  }

  /** The source, which makes watermarks, is in no checkpoint. */
  @Test
  void noWatermarkPassesAHoleFromBeforeACheckpoint() throws Exception {
    process(opened(0, 1, 10), opened(0, 3, 30));
    restart(harness.snapshot(1, 1));
    process(progress(0, 3, 35));
    harness.processWatermark(35);
    harness.processWatermark(36);
    assertThat(watermarks()).isEmpty();
    process(event(gap(0, 2, 2, 20, 20)), progress(0, 3, 40));
    assertThat(watermarks()).containsExactly(36L);
    harness.processWatermark(40);
    assertThat(watermarks()).containsExactly(36L, 40L);
  }

  /** With another parallelism a partition is read by another task than the one that kept it. */
  @Test
  void waitingEventsArePassedOnByTheReaderOfTheirPartition() throws Exception {
    process(opened(0, 1, 10), opened(0, 3, 30));
    OperatorSubtaskState snapshot = harness.snapshot(1, 1);
    for (int subtask = 0; subtask < 2; subtask++) {
      harness.close();
      harness = new OneInputStreamOperatorTestHarness<>(operator(), 2, 2, subtask);
      harness.initializeState(
          AbstractStreamOperatorTestHarness.repartitionOperatorState(snapshot, 2, 1, 2, subtask));
      harness.open();
      process(opened(1, 1, 35));
      assertThat(harness.extractOutputValues()).as("subtask %d", subtask).hasSize(1);
      process(event(gap(0, 2, 2, 20, 20)), progress(0, 3, 40));
      assertThat(harness.extractOutputValues()).as("subtask %d", subtask).hasSize(2);
    }
  }

  @Test
  void aHoleOfAnEndedIncarnationIsNotWaitedFor() throws Exception {
    CandidateEvent next = opened(0, 1, 40);
    process(opened(0, 1, 10), opened(0, 3, 30));
    process(event(next.decode().toBuilder().setIncarnation(2).build()));
    assertThat(harness.extractOutputValues()).extracting(CandidateEvent::hlc).isSorted().hasSize(3);
  }

  @Test
  void aRestoredFunctionKnowsTheEventsItHasRead() throws Exception {
    process(opened(0, 1, 10));
    restart(harness.snapshot(1, 1));
    process(opened(0, 1, 10), opened(0, 2, 20));
    assertThat(harness.extractOutputValues()).hasSize(1);
    assertThat(harness.getSideOutput(SequenceFunction.NOTICES)).isNull();
  }

  @Test
  void aNodeWhoseDiskRefusesItsClockPromiseLosesNothing() throws Exception {
    process(opened(0, 1, 10), event(Records.of(0, 1, 0).setUnpromisedSinceMicros(5).build()));
    process(opened(0, 2, 20), progress(0, 2, 30));
    assertThat(harness.extractOutputValues()).hasSize(2);
    assertThat(harness.getSideOutput(SequenceFunction.NOTICES)).isNull();
  }

  @Test
  void thePositionOfEachNodeIsReportedOncePerSecond() throws Exception {
    process(progress(0, 0, 10), progress(1, 0, 20));
    harness.setProcessingTime(1_000);
    process(progress(0, 0, 30), progress(0, 0, 40));
    assertThat(harness.getSideOutput(SequenceFunction.NOTICES))
        .singleElement()
        .satisfies(record -> assertThat(record.getValue().kind()).isEqualTo(Notice.Kind.REACHED));
  }

  /** What holds at the node is known again after a gap that the node explains. */
  @Test
  void aNodeIsWholeFromItsListOnAndAgainAfterAnExplainedGap() throws Exception {
    process(whole(0, 0, 10), whole(0, 0, 20));
    assertThat(wholes()).containsExactly(10L);
    process(opened(0, 2, 30), whole(0, 2, 40));
    assertThat(wholes()).as("number 1 is missing").containsExactly(10L);
    restart(harness.snapshot(1, 1));
    process(whole(0, 2, 45), event(gap(0, 1, 1, 25, 25)));
    assertThat(wholes()).isEmpty();
    process(whole(0, 2, 50), whole(0, 2, 60));
    assertThat(wholes()).containsExactly(50L);
  }

  @Test
  void afterAGapWithoutExplanationANodeIsWholeFromItsNextEpochOn() throws Exception {
    process(whole(0, 0, 10), opened(0, 2, 30), whole(0, 2, 40), whole(0, 2, 30_000_041));
    process(whole(0, 2, 30_000_050));
    assertThat(wholes()).containsExactly(10L);
    restart(harness.snapshot(1, 1));
    process(whole(0, 2, 30_000_060));
    assertThat(wholes()).isEmpty();
    CandidateEvent next = whole(0, 2, 30_000_070);
    process(event(next.decode().toBuilder().setEpoch(1).build()));
    assertThat(wholes()).containsExactly(30_000_070L);
  }

  @Test
  void aNodeWhoseFirstRecordsAreGoneIsNotWhole() throws Exception {
    process(opened(0, 7, 10), whole(0, 7, 20), whole(1, 0, 30));
    assertThat(wholes()).as("of another node").containsExactly(30L);
  }

  private static CandidateEvent whole(int node, long sequence, long micros) {
    CandidateRecord.Builder record = progress(node, sequence, micros).decode().toBuilder();
    record
        .getProgressBuilder()
        .addWhole(Searched.newBuilder().setPredicate(Records.PREDICATE).setVersion(1));
    return event(record.build());
  }

  /** Since when nodes have published all that holds, as notices of this run say. */
  private List<Long> wholes() {
    Collection<StreamRecord<Notice>> notices = harness.getSideOutput(SequenceFunction.NOTICES);
    return notices == null
        ? List.of()
        : notices.stream()
            .map(StreamRecord::getValue)
            .filter(notice -> notice.kind() == Notice.Kind.WHOLE)
            .map(notice -> Hlc.micros(Search.of(notice).at().own()))
            .toList();
  }

  /** Its value may have changed since, so nothing is concurrent with it after its last clock. */
  @Test
  void aNodeThatAWatermarkPassesEndsItsIntervalsAndBeginsAGap() throws Exception {
    process(opened(0, 1, 10), progress(0, 1, 20), progress(1, 0, 90), progress(2, 0, 90));
    harness.processWatermark(new Watermark(Hlc.ofMicros(20)));
    assertThat(harness.getSideOutput(SequenceFunction.NOTICES)).isNull();
    harness.processWatermark(new Watermark(Hlc.ofMicros(80)));
    List<Notice> notices = notices();
    assertThat(notices).extracting(Notice::kind).containsExactly(RESTARTED, LOST);
    assertThat(Restart.of(notices.get(0)).first().own()).isEqualTo(Hlc.ofMicros(20));
    CoverageLost loss = CoverageLost.parseFrom(notices.get(1).body());
    assertThat(loss.getFromHlc()).isEqualTo(Hlc.ofMicros(20));
    assertThat(loss.getToHlc()).as("it is not over").isZero();
    process(opened(0, 2, 85), progress(0, 2, 86));
    assertThat(harness.extractOutputValues()).as("it may be late").hasSize(1);
    process(event(restarted(opened(0, 1, 95))));
    assertThat(harness.extractOutputValues()).as("a restart is in time").hasSize(2);
  }

  @Test
  void aNodeOfWhichNothingWasEverReadIsAGapToo() throws Exception {
    process(progress(0, 0, 90), progress(1, 0, 90));
    harness.processWatermark(new Watermark(Hlc.ofMicros(80)));
    assertThat(notices()).extracting(Notice::kind).containsExactly(LOST);
    assertThat(CoverageLost.parseFrom(notices().get(0).body()).getNode()).isEqualTo(2);
  }

  @Test
  void aRestartWhoseFirstRecordsAreLateIsSkippedToo() throws Exception {
    process(progress(0, 0, 20), progress(1, 0, 90), progress(2, 0, 90));
    harness.processWatermark(new Watermark(Hlc.ofMicros(80)));
    process(event(restarted(opened(0, 1, 70))), event(restarted(opened(0, 2, 95))));
    assertThat(harness.extractOutputValues()).isEmpty();
    assertThat(notices())
        .extracting(Notice::kind)
        .containsExactly(RESTARTED, LOST, RESTARTED, LOST, LOST, LOST);
    assertThat(CoverageLost.parseFrom(notices().get(3).body()).getToHlc())
        .as("the first gap is over")
        .isEqualTo(Hlc.ofMicros(70));
    assertThat(CoverageLost.parseFrom(notices().get(5).body()).getCause())
        .isEqualTo("node 0 is skipped, and publishes again: restart it");
  }

  @Test
  void aSkippedNodeIsInCheckpoints() throws Exception {
    process(progress(0, 0, 20), progress(1, 0, 90), progress(2, 0, 90));
    harness.processWatermark(new Watermark(Hlc.ofMicros(80)));
    restart(harness.snapshot(1, 1));
    process(opened(0, 1, 95), opened(1, 1, 95));
    assertThat(harness.extractOutputValues()).extracting(CandidateEvent::node).containsExactly(1);
  }

  /** A node that is down writes nothing. */
  @Test
  void aNodeThatHasStoppedIsPassedWithoutAGap() throws Exception {
    process(opened(0, 1, 10), stopped(0, 1, 20), progress(1, 0, 90), progress(2, 0, 90));
    harness.processWatermark(new Watermark(Hlc.ofMicros(80)));
    assertThat(harness.getSideOutput(SequenceFunction.NOTICES)).isNull();
    process(event(restarted(opened(0, 1, 85))));
    assertThat(notices()).extracting(Notice::kind).containsExactly(RESTARTED);
  }

  /** The node that could explain the hole is down. */
  @Test
  void whatWaitsForASkippedNodeWaitsNoLonger() throws Exception {
    process(opened(0, 1, 10), opened(0, 3, 30), progress(1, 0, 90), progress(2, 0, 90));
    harness.processWatermark(new Watermark(Hlc.ofMicros(80)));
    assertThat(harness.extractOutputValues()).hasSize(2);
    assertThat(watermarks()).containsExactly(Hlc.ofMicros(80));
  }

  private List<Notice> notices() {
    return harness.getSideOutput(SequenceFunction.NOTICES).stream()
        .map(StreamRecord::getValue)
        .toList();
  }

  private static CandidateRecord restarted(CandidateEvent event) {
    return event.decode().toBuilder().setIncarnation(2).build();
  }

  private void process(CandidateEvent... events) throws Exception {
    for (CandidateEvent event : events) {
      harness.processElement(event, event.hlc());
    }
  }

  private void restart(OperatorSubtaskState snapshot) throws Exception {
    harness.close();
    harness = harness();
    harness.initializeState(snapshot);
    harness.open();
  }

  private List<Long> watermarks() {
    return harness.getOutput().stream()
        .filter(Watermark.class::isInstance)
        .map(mark -> ((Watermark) mark).getTimestamp())
        .toList();
  }

  private static SequenceOperator operator() {
    return new SequenceOperator(new SequenceFunction(Records.NODES));
  }

  private static OneInputStreamOperatorTestHarness<CandidateEvent, CandidateEvent> harness()
      throws Exception {
    return new OneInputStreamOperatorTestHarness<>(operator());
  }
}
