package io.palinode.monitor.flink.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.hvc.Epsilon;
import io.palinode.monitor.flink.Verdict;
import io.palinode.wire.v1.Judged;
import io.palinode.wire.v1.JudgementReport;
import io.palinode.wire.v1.NodeReached;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationRecord;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JudgedOperatorTest {
  private OneInputStreamOperatorTestHarness<Verdict, byte[]> harness;

  @BeforeEach
  void open() throws Exception {
    harness = harness();
    harness.open();
    harness.setProcessingTime(1_000);
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  @Test
  void aRecordPrecedesTheJudgementThatCoversIt() throws Exception {
    harness.processElement(Verdict.of(violation("a")), 0);
    harness.processWatermark(101);
    assertThat(published()).containsExactly("violation a", "judged 100");
  }

  @Test
  void theLastWatermarkIsPublishedAtTheEndOfThePeriod() throws Exception {
    harness.processWatermark(101);
    harness.processWatermark(102);
    harness.processWatermark(103);
    assertThat(published()).containsExactly("judged 100");
    harness.setProcessingTime(1_000 + JudgedOperator.PERIOD_MS);
    assertThat(published()).containsExactly("judged 100", "judged 102");
    harness.setProcessingTime(2_000);
    assertThat(published()).hasSize(2);
    harness.processWatermark(104);
    assertThat(published()).as("no hold waits, and it is a small step").hasSize(2);
    harness.setProcessingTime(2_000 + JudgedOperator.PERIOD_MS);
    assertThat(published()).hasSize(3);
  }

  @Test
  void aViolationIsJudgedInAShortPeriodAlsoIfALongOneHasBegun() throws Exception {
    harness.processWatermark(101);
    harness.processWatermark(103);
    harness.processElement(Verdict.of(violation("a").toBuilder().setViolate(110).build()), 0);
    harness.processWatermark(112);
    assertThat(published()).containsExactly("judged 100", "violation a");
    harness.setProcessingTime(1_000 + JudgedOperator.HURRIED_MS);
    assertThat(published()).containsExactly("judged 100", "violation a", "judged 111");
  }

  @Test
  void judgementStopsBeforeAHoldUntilItsRelease() throws Exception {
    harness.processElement(Verdict.hold(50), 0);
    harness.processWatermark(101);
    harness.setProcessingTime(2_000);
    harness.processElement(Verdict.of(violation("late")), 0);
    harness.processElement(Verdict.release(50), 0);
    assertThat(published()).containsExactly("judged 49", "violation late", "judged 100");
  }

  @Test
  void aHoldLastsThroughARestart() throws Exception {
    harness.processElement(Verdict.hold(50), 0);
    OperatorSubtaskState snapshot = harness.snapshot(1, 1);
    harness.close();
    harness = harness();
    harness.initializeState(snapshot);
    harness.open();
    harness.processWatermark(101);
    assertThat(published()).containsExactly("judged 49");
  }

  @Test
  void theEndOfTheInputIsNoTime() throws Exception {
    harness.processWatermark(Long.MAX_VALUE);
    assertThat(published()).isEmpty();
  }

  @Test
  void judgementIsRepeatedEachSecondWithItsWaitsEvenBeforeTheFirst() throws Exception {
    assertThat(reports()).singleElement().satisfies(judged -> assertThat(judged.getHlc()).isZero());
    harness.processElement(Verdict.hold(50), 0);
    harness.processWatermark(101);
    JudgementReport ofPartition =
        JudgementReport.newBuilder().addNodes(NodeReached.newBuilder().setNode(2)).build();
    harness.processElement(new Verdict(Verdict.Kind.REACHED, 0, ofPartition.toByteArray()), 0);
    harness.setProcessingTime(2_000);
    harness.setProcessingTime(2_999);
    assertThat(reports()).hasSize(2);
    Judged second = reports().get(1);
    assertThat(second.getHlc()).isEqualTo(49);
    assertThat(second.getReport().getAtMicros()).isEqualTo(2_000_000);
    assertThat(second.getReport().getHeldHlc()).isEqualTo(50);
    assertThat(second.getReport().getEpsilon()).isEqualTo("10ms");
    assertThat(second.getReport().getOpen()).isEqualTo("/metrics has no users");
    assertThat(second.getReport().getNodesList()).extracting(n -> n.getNode()).containsExactly(2);
  }

  private List<Judged> reports() {
    return records().stream()
        .filter(record -> record.getJudged().hasReport())
        .map(ViolationRecord::getJudged)
        .toList();
  }

  private static OneInputStreamOperatorTestHarness<Verdict, byte[]> harness() throws Exception {
    return new OneInputStreamOperatorTestHarness<>(
        new JudgedOperator(Epsilon.ofMicros(10_000), "/metrics has no users"),
        Types.POJO(Verdict.class)
            .createSerializer(
                new org.apache.flink.api.common.ExecutionConfig().getSerializerConfig()));
  }

  private static Violation violation(String id) {
    return Violation.newBuilder().setId(id).build();
  }

  /** Without the reports, which repeat. */
  private List<String> published() {
    return records().stream()
        .filter(record -> !record.getJudged().hasReport())
        .map(JudgedOperatorTest::text)
        .toList();
  }

  private List<ViolationRecord> records() {
    return harness.extractOutputValues().stream().map(JudgedOperatorTest::record).toList();
  }

  private static String text(ViolationRecord record) {
    return record.hasJudged()
        ? "judged " + record.getJudged().getHlc()
        : "violation " + record.getViolation().getId();
  }

  private static ViolationRecord record(byte[] bytes) {
    try {
      return ViolationRecord.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }
}
