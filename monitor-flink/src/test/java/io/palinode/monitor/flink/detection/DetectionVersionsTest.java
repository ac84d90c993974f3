package io.palinode.monitor.flink.detection;

import static io.palinode.monitor.Records.clock;
import static io.palinode.monitor.Records.interval;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.monitor.Notice;
import io.palinode.monitor.Records;
import io.palinode.wire.v1.Detecting;
import io.palinode.wire.v1.PredicateRecord;
import io.palinode.wire.v1.ViolationRecord;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.junit.jupiter.api.Test;

/** Candidates of unknown, replaced and deleted versions of a predicate. */
class DetectionVersionsTest extends DetectionFixture {
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
  void candidatesOfAReplacedVersionAreACoverageGap() throws Exception {
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
              assertThat(lost.getToHlc()).isEqualTo(Hlc.ofMicros(1_001_005));
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
}
