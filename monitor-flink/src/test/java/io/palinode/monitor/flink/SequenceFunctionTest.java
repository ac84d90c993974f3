package io.palinode.monitor.flink;

import static io.palinode.monitor.Records.event;
import static io.palinode.monitor.Records.gap;
import static io.palinode.monitor.Records.opened;
import static io.palinode.monitor.Records.progress;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Notice;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.ProcessOperator;
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
  void aGapIsTold() throws Exception {
    process(opened(0, 1, 10), event(gap(0, 2, 3, 11, 12)));
    assertThat(harness.getSideOutput(SequenceFunction.NOTICES))
        .singleElement()
        .satisfies(record -> assertThat(record.getValue().kind()).isEqualTo(Notice.Kind.LOST));
  }

  /** An event of its node would show that what ended before it goes on. */
  @Test
  void whatArrivesBehindARefusedEndWaitsForItAndFollowsIt() throws Exception {
    process(opened(0, 1, 10), opened(0, 3, 30), progress(0, 3, 35));
    assertThat(harness.extractOutputValues()).as("number 2 is missing").hasSize(1);
    process(event(gap(0, 2, 2, 20, 20)), opened(0, 4, 20), opened(1, 1, 40));
    assertThat(harness.extractOutputValues()).as("of another node").hasSize(2);
    process(progress(0, 4, 40), opened(0, 5, 50));
    assertThat(harness.extractOutputValues())
        .extracting(CandidateEvent::sequence)
        .containsExactly(1L, 1L, 4L, 3L, 5L);
  }

  @Test
  void whatWaitsIsInCheckpointsAndHandedOnByTheNextLife() throws Exception {
    process(opened(0, 1, 10), opened(0, 3, 30));
    OperatorSubtaskState snapshot = harness.snapshot(1, 1);
    harness.close();
    harness = harness();
    harness.initializeState(snapshot);
    harness.open();
    process(progress(0, 3, 35));
    assertThat(harness.extractOutputValues())
        .extracting(CandidateEvent::sequence)
        .containsExactly(3L);
  }

  @Test
  void whatIsMissingOfALifeThatIsOverIsNotWaitedFor() throws Exception {
    CandidateEvent next = opened(0, 1, 40);
    process(opened(0, 1, 10), opened(0, 3, 30));
    process(event(next.decode().toBuilder().setIncarnation(2).build()));
    assertThat(harness.extractOutputValues()).extracting(CandidateEvent::hlc).isSorted().hasSize(3);
  }

  @Test
  void aRestoredFunctionKnowsWhatItHasSeen() throws Exception {
    process(opened(0, 1, 10));
    OperatorSubtaskState snapshot = harness.snapshot(1, 1);
    harness.close();
    harness = harness();
    harness.initializeState(snapshot);
    harness.open();
    process(opened(0, 1, 10), opened(0, 2, 20));
    assertThat(harness.extractOutputValues()).hasSize(1);
    assertThat(harness.getSideOutput(SequenceFunction.NOTICES)).isNull();
  }

  private void process(CandidateEvent... events) throws Exception {
    for (CandidateEvent event : events) {
      harness.processElement(event, event.hlc());
    }
  }

  private static OneInputStreamOperatorTestHarness<CandidateEvent, CandidateEvent> harness()
      throws Exception {
    return new OneInputStreamOperatorTestHarness<>(new ProcessOperator<>(new SequenceFunction()));
  }
}
