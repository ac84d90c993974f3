package io.palinode.monitor.flink.detection;

import static io.palinode.monitor.Records.clock;
import static io.palinode.monitor.Records.event;
import static io.palinode.monitor.Records.interval;
import static io.palinode.monitor.Records.version;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.hvc.HvcCodec;
import io.palinode.monitor.Notice;
import io.palinode.monitor.Records;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.Ended;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import io.palinode.wire.v1.ViolationRecord;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.junit.jupiter.api.Test;

/** Clauses with {@code for} in the job: event time, checkpoints, the end of a violation. */
class LastingFoundTest extends DetectionFixture {
  /** 5 ms; ε is 10 µs. */
  private static final String LASTING =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: p}
      spec:
        violation:
          - all:
              - {var: "x", equals: "1"}
              - {var: "y", equals: "1"}
            for: 5ms
      """;

  private void learnLasting() throws Exception {
    harness.processBroadcastElement(Notice.predicate(predicate(LASTING, 1, false)), 0);
  }

  private void restart() throws Exception {
    OperatorSubtaskState saved = harness.snapshot(1, 1);
    harness.close();
    harness = harness();
    harness.initializeState(saved);
    harness.open();
  }

  /** From the watermark, not from the wall clock; also if the job restarts meanwhile. */
  @Test
  void openIntervalsAreAViolationOnceTheWatermarkHasPassedTheirTime() throws Exception {
    learnLasting();
    open(0, 1, 0, 1_000);
    open(1, 1, 1, 2_000);
    watermark(6_999);
    assertThat(violations()).isEmpty();
    restart();
    watermark(7_000);
    assertThat(violations())
        .singleElement()
        .satisfies(
            found -> {
              assertThat(found.getFirst()).isEqualTo(Hlc.ofMicros(1_000));
              assertThat(found.getViolate()).isEqualTo(Hlc.ofMicros(7_000));
              assertThat(found.getGrade()).isEqualTo(ViolationGrade.POSSIBLE);
            });
    assertThat(harness.getOutput()).last().isInstanceOf(Watermark.class);
    watermark(7_011);
    assertThat(violations())
        .singleElement()
        .extracting(Violation::getGrade)
        .isEqualTo(ViolationGrade.DEFINITE);
  }

  @Test
  void whatEndsBeforeItsTimeIsNone() throws Exception {
    learnLasting();
    open(0, 1, 0, 1_000);
    open(1, 1, 1, 2_000);
    closeAt(0, 2, 1, 0, 1_000, 6_980);
    watermark(6_990);
    restart();
    watermark(20_000);
    assertThat(violations()).isEmpty();
  }

  /** The events waited for the predicate, and are applied together. */
  @Test
  void theRestartOfANodeEndsItsIntervalsBeforeTheirTime() throws Exception {
    open(0, 1, 0, 1_000);
    open(1, 1, 1, 2_000);
    CandidateRecord first =
        Records.progress(0, 0, clock(0, 3_000, LAG)).toBuilder().setIncarnation(2).build();
    harness.processBroadcastElement(
        Notice.restarted(event(first), HvcCodec.encode(clock(0, 3_000, LAG))), 0);
    watermark(20_000);
    learnLasting();
    harness.setProcessingTime(harness.getProcessingTime() + 1_000);
    watermark(30_000);
    assertThat(keptEntries()).as("both are applied, and y is open").isEqualTo(1);
    assertThat(violations()).isEmpty();
  }

  @Test
  void theEndIsPublishedAfterARestart() throws Exception {
    learnLasting();
    open(0, 1, 0, 1_000);
    open(1, 1, 1, 2_000);
    watermark(8_000);
    Violation found = violations().iterator().next();
    assertThat(found.getEnded()).as("it holds").isZero();
    restart();
    closeAt(1, 2, 1, 1, 2_000, 9_000);
    restart();
    watermark(10_000);
    assertThat(records())
        .singleElement()
        .extracting(ViolationRecord::getEnded)
        .isEqualTo(Ended.newBuilder().setId(found.getId()).setHlc(Hlc.ofMicros(9_000)).build());
    closeAt(0, 2, 1, 0, 1_000, 11_000);
    watermark(30_000);
    assertThat(keptEntries()).as("an instance without state is dropped").isZero();
  }

  /** A node publishes the end of a version and the opening of the next one together. */
  @Test
  void aWriteThatKeepsTheTermTrueContinuesItsTime() throws Exception {
    learnLasting();
    open(1, 1, 1, 1_000);
    apply(opened(1, 1_000, 1));
    apply(closed(2, 1, 1_000, 3_000, 1, 2));
    watermark(3_000);
    restart();
    apply(opened(3, 3_001, 2));
    watermark(6_000);
    assertThat(violations()).as("the job read no opening with the end").isEmpty();
    watermark(8_001);
    assertThat(violations()).hasSize(1);
  }

  @Test
  void aWriteThatKeepsTheTermTrueContinuesItsTimeAcrossARestart() throws Exception {
    learnLasting();
    open(1, 1, 1, 1_000);
    apply(opened(1, 1_000, 1));
    apply(closed(2, 1, 1_000, 3_000, 1, 2));
    apply(opened(3, 3_001, 2));
    restart();
    watermark(3_000);
    restart();
    watermark(6_000);
    assertThat(violations())
        .singleElement()
        .extracting(Violation::getViolate)
        .isEqualTo(Hlc.ofMicros(6_000));
  }

  private static CandidateRecord opened(long sequence, long micros, int version) {
    CandidateRecord.Builder record =
        Records.opened(0, sequence, interval("", 0), clock(0, micros, LAG)).toBuilder();
    record.getOpenedBuilder().setValues(0, version("x0", version));
    return record.build();
  }

  private static CandidateRecord closed(
      long sequence, long openedSequence, long from, long to, int version, int endedBy) {
    CandidateRecord.Builder record =
        Records.closed(
            0, sequence, openedSequence, interval("", 0), clock(0, from, LAG), clock(0, to, LAG))
            .toBuilder();
    record
        .getClosedBuilder()
        .setOpenedBy(version("x0", version))
        .setEndedBy(version("x0", endedBy));
    return record.build();
  }
}
