package io.palinode.monitor.flink.job;

import static io.palinode.monitor.Records.event;
import static io.palinode.monitor.Records.gap;
import static io.palinode.monitor.Records.opened;
import static io.palinode.monitor.Records.progress;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Notice;
import io.palinode.monitor.Records;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.watermark.Watermark;
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
