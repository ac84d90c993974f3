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
