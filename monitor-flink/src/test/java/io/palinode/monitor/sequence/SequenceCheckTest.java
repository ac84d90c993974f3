package io.palinode.monitor.sequence;

import static io.palinode.monitor.Records.clock;
import static io.palinode.monitor.Records.event;
import static io.palinode.monitor.Records.gap;
import static io.palinode.monitor.Records.opened;
import static io.palinode.monitor.Records.progress;
import static io.palinode.monitor.Records.stopped;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.hvc.Hlc;
import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Notice;
import io.palinode.monitor.Records;
import io.palinode.monitor.Restart;
import io.palinode.monitor.sequence.SequenceCheck.Outcome;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.CoverageLost;
import java.util.List;
import org.junit.jupiter.api.Test;

class SequenceCheckTest {
  private final SequenceCheck check = new SequenceCheck();

  @Test
  void everyEventPassesOnce() {
    assertThat(check.observe(opened(0, 1, 10)).fresh()).isTrue();
    assertThat(check.observe(opened(0, 2, 20)).fresh()).isTrue();
    assertThat(check.observe(opened(0, 2, 20)).fresh()).isFalse();
    assertThat(check.observe(opened(0, 1, 10)).fresh()).isFalse();
    assertThat(check.observe(opened(0, 3, 30)).fresh()).isTrue();
  }

  @Test
  void nodesAndPartitionsAreCountedApart() {
    check.observe(opened(0, 1, 10));
    assertThat(coverageGaps(check.observe(opened(1, 1, 10)))).isEmpty();
    CandidateEvent elsewhere =
        event(7, Records.opened(0, 1, Records.interval("", 0), clock(0, 11, 0)));
    assertThat(coverageGaps(check.observe(elsewhere))).isEmpty();
    assertThat(check.positions()).hasSize(3);
  }

  @Test
  void aJumpIsACoverageGapOfTheSkippedSequences() {
    check.observe(opened(0, 1, 10));
    Outcome outcome = check.observe(opened(0, 5, 50));
    assertThat(outcome.fresh()).isTrue();
    assertThat(coverageGaps(outcome))
        .containsExactly(
            CoverageLost.newBuilder()
                .setNode(0)
                .setIncarnation(1)
                .setFirstSequence(2)
                .setLastSequence(4)
                .setFromHlc(Hlc.ofMicros(10))
                .setToHlc(Hlc.ofMicros(50))
                .build());
  }

  @Test
  void progressRevealsEventsThatNeverCame() {
    check.observe(opened(0, 1, 10));
    assertThat(coverageGaps(check.observe(progress(0, 1, 20)))).isEmpty();
    assertThat(coverageGaps(check.observe(progress(0, 3, 30))))
        .singleElement()
        .satisfies(gap -> assertThat(sequences(gap)).containsExactly(2L, 3L));
    assertThat(coverageGaps(check.observe(opened(0, 4, 40)))).isEmpty();
  }

  @Test
  void aGapIsACoverageGapAndTheSequenceContinuesAfterIt() {
    check.observe(opened(0, 1, 10));
    assertThat(coverageGaps(check.observe(event(gap(0, 2, 6, 12, 18)))))
        .singleElement()
        .satisfies(gap -> assertThat(sequences(gap)).containsExactly(2L, 6L))
        .satisfies(gap -> assertThat(gap.getFromHlc()).isEqualTo(Hlc.ofMicros(12)))
        .satisfies(gap -> assertThat(gap.getToHlc()).isEqualTo(Hlc.ofMicros(18)));
    assertThat(coverageGaps(check.observe(opened(0, 7, 20)))).isEmpty();
  }

  @Test
  void aLateGapIsNotReportedAgain() {
    check.observe(opened(0, 1, 10));
    assertThat(coverageGaps(check.observe(opened(0, 4, 40)))).hasSize(1);
    assertThat(check.observe(event(gap(0, 2, 3, 20, 30))).fresh()).isFalse();
    assertThat(coverageGaps(check.observe(event(gap(0, 3, 5, 30, 50)))))
        .singleElement()
        .satisfies(gap -> assertThat(sequences(gap)).containsExactly(5L, 5L));
  }

  /** A refused end is published with its own time. */
  @Test
  void aGapBehindALateEndIsReportedWithItsTime() {
    check.observe(opened(0, 1, 10));
    assertThat(coverageGaps(check.observe(opened(0, 3, 12))))
        .singleElement()
        .satisfies(gap -> assertThat(gap.getToHlc()).isEqualTo(Hlc.ofMicros(12)));
    assertThat(coverageGaps(check.observe(event(gap(0, 2, 2, 20, 20)))))
        .singleElement()
        .satisfies(gap -> assertThat(sequences(gap)).containsExactly(2L, 2L))
        .satisfies(gap -> assertThat(gap.getToHlc()).isEqualTo(Hlc.ofMicros(20)));
    assertThat(coverageGaps(check.observe(event(gap(0, 2, 2, 20, 20))))).isEmpty();
  }

  /** A later coverage gap must not hide an earlier one. */
  @Test
  void aGapBehindALateEndIsReportedThoughALaterOneWas() {
    check.observe(opened(0, 1, 10));
    assertThat(coverageGaps(check.observe(opened(0, 4, 12)))).hasSize(1);
    check.observe(opened(0, 5, 30));
    assertThat(coverageGaps(check.observe(opened(0, 7, 40)))).hasSize(1);
    assertThat(coverageGaps(check.observe(event(gap(0, 2, 3, 12, 35)))))
        .singleElement()
        .satisfies(gap -> assertThat(gap.getFromHlc()).isEqualTo(Hlc.ofMicros(12)))
        .satisfies(gap -> assertThat(gap.getToHlc()).isEqualTo(Hlc.ofMicros(35)));
    assertThat(coverageGaps(check.observe(event(gap(0, 2, 3, 12, 35))))).isEmpty();
    assertThat(coverageGaps(check.observe(event(gap(0, 6, 6, 32, 32))))).isEmpty();
  }

  @Test
  void sequencesMissingBeforeAGapArePartOfTheCoverageGap() {
    check.observe(opened(0, 1, 10));
    assertThat(coverageGaps(check.observe(event(gap(0, 4, 6, 40, 60)))))
        .singleElement()
        .satisfies(gap -> assertThat(sequences(gap)).containsExactly(2L, 6L))
        .satisfies(gap -> assertThat(gap.getFromHlc()).isEqualTo(Hlc.ofMicros(10)));
  }

  @Test
  void aFirstEventWithALaterSequenceIsACoverageGap() {
    assertThat(coverageGaps(check.observe(opened(2, 4, 40))))
        .singleElement()
        .satisfies(gap -> assertThat(sequences(gap)).containsExactly(1L, 3L));
  }

  @Test
  void aNewIncarnationOfANodeThatDidNotStopIsACoverageGapFromItsLastToItsFirstRecord() {
    check.observe(opened(0, 1, 10));
    check.observe(progress(0, 1, 30));
    assertThat(coverageGaps(check.observe(incarnation(2, 1, 90))))
        .containsExactly(
            CoverageLost.newBuilder()
                .setNode(0)
                .setIncarnation(1)
                .setFirstSequence(2)
                .setFromHlc(Hlc.ofMicros(30))
                .setToHlc(Hlc.ofMicros(90))
                .build());
    assertThat(coverageGaps(check.observe(incarnation(2, 2, 95)))).isEmpty();
  }

  @Test
  void aKilledNodeLeavesACoverageGapOnEachPartitionWithoutItsStop() {
    check.observe(progress(0, 0, 30));
    check.observe(event(1, progress(0, 0, 30).decode()));
    check.observe(stopped(0, 0, 40));
    assertThat(coverageGaps(check.observe(incarnation(2, 1, 90)))).isEmpty();
    CandidateRecord first = incarnation(2, 1, 90).decode();
    assertThat(coverageGaps(check.observe(event(1, first))))
        .singleElement()
        .satisfies(gap -> assertThat(gap.getPartition()).isEqualTo(1));
  }

  @Test
  void aStopRevealsEventsThatNeverCameAsProgressDoes() {
    check.observe(opened(0, 1, 10));
    assertThat(coverageGaps(check.observe(stopped(0, 3, 30))))
        .singleElement()
        .satisfies(gap -> assertThat(sequences(gap)).containsExactly(2L, 3L));
  }

  @Test
  void aRestoredCheckKnowsTheStoppedNodes() {
    check.observe(progress(0, 0, 30));
    check.observe(progress(1, 0, 30));
    check.observe(stopped(0, 0, 40));
    SequenceCheck restored = new SequenceCheck();
    restored.restore(check.positions());
    assertThat(coverageGaps(restored.observe(incarnation(2, 1, 90)))).isEmpty();
    CandidateRecord other = progress(1, 0, 90).decode().toBuilder().setIncarnation(2).build();
    assertThat(coverageGaps(restored.observe(event(other)))).hasSize(1);
  }

  @Test
  void theFirstIncarnationThatIsReadHasNoEarlierOne() {
    assertThat(coverageGaps(check.observe(incarnation(5, 1, 90)))).isEmpty();
  }

  @Test
  void aNodeThatReusesIncarnationsIsReportedAsAGapOnceIn10Seconds() {
    check.observe(event(withIncarnation(4, progress(0, 7, 30))));
    Outcome outcome = check.observe(event(withIncarnation(1, progress(0, 0, 90))));
    assertThat(outcome.fresh()).isFalse();
    assertThat(coverageGaps(outcome))
        .containsExactly(
            CoverageLost.newBuilder()
                .setNode(0)
                .setIncarnation(1)
                .setFirstSequence(1)
                .setFromHlc(Hlc.ofMicros(30))
                .setToHlc(Hlc.ofMicros(90))
                .setCause(
                    "the node numbers its incarnations from the start, as with another disk (incarnation 1 after 4)")
                .build());
    assertThat(check.observe(opened(0, 1, 100)).notices()).isEmpty();
    assertThat(coverageGaps(check.observe(opened(0, 2, 10_000_200))))
        .singleElement()
        .satisfies(gap -> assertThat(gap.getFromHlc()).isEqualTo(Hlc.ofMicros(90)));
    assertThat(check.observe(event(withIncarnation(4, progress(0, 7, 40)))).fresh()).isTrue();
  }

  @Test
  void aNodeThatReusesSequencesIsReportedAsAGap() {
    check.observe(opened(0, 7, 30));
    assertThat(coverageGaps(check.observe(progress(0, 0, 90)))).hasSize(1);
    Outcome outcome = check.observe(opened(0, 1, 10_000_200));
    assertThat(outcome.fresh()).isFalse();
    assertThat(coverageGaps(outcome)).hasSize(1);
  }

  @Test
  void aNewIncarnationCountsFromOneAndIsReported() {
    check.observe(opened(0, 1, 10));
    check.observe(stopped(0, 1, 30));
    Outcome outcome = check.observe(incarnation(2, 1, 90));
    assertThat(outcome.notices())
        .singleElement()
        .satisfies(
            notice -> assertThat(Restart.of(notice)).isEqualTo(new Restart(0, 2, clock(0, 90, 0))));
    assertThat(check.observe(incarnation(2, 2, 95)).notices()).isEmpty();
    // A record that the ended process had on its way.
    assertThat(check.observe(opened(0, 2, 40)).fresh()).isFalse();
  }

  @Test
  void aRestartThatAGapRevealsIsReportedWithItsFirstClock() {
    check.observe(stopped(0, 0, 30));
    CandidateRecord gap = gap(0, 1, 2, 80, 90).toBuilder().setIncarnation(2).build();
    assertThat(check.observe(event(gap)).notices())
        .extracting(Notice::kind)
        .containsExactly(Notice.Kind.LOST);
    Outcome first = check.observe(incarnation(2, 3, 95));
    assertThat(first.notices())
        .singleElement()
        .satisfies(
            notice -> assertThat(Restart.of(notice)).isEqualTo(new Restart(0, 2, clock(0, 95, 0))));
    assertThat(check.observe(incarnation(2, 4, 97)).notices()).isEmpty();
  }

  @Test
  void aRestartAfterOneWithOnlyGapsIsReportedToo() {
    check.observe(stopped(0, 0, 30));
    check.observe(event(gap(0, 1, 2, 80, 90).toBuilder().setIncarnation(2).build()));
    assertThat(check.observe(incarnation(3, 1, 95)).notices())
        .extracting(Notice::kind)
        .containsExactly(Notice.Kind.RESTARTED, Notice.Kind.LOST);
  }

  @Test
  void theCoverageGapsOfANodeWithOnlyGapsAreReportedWithoutARestart() {
    check.observe(event(gap(0, 1, 2, 10, 20)));
    CandidateRecord gap = gap(0, 1, 2, 80, 90).toBuilder().setIncarnation(2).build();
    assertThat(check.observe(event(gap)).notices())
        .extracting(Notice::kind)
        .containsExactly(Notice.Kind.LOST, Notice.Kind.LOST);
  }

  @Test
  void anEpochIsReportedWithItsFirstRecord() {
    assertThat(check.observe(opened(0, 1, 10)).notices()).isEmpty();
    CandidateRecord next = progress(0, 1, 30).decode().toBuilder().setEpoch(4).build();
    assertThat(check.observe(event(next)).notices())
        .singleElement()
        .satisfies(notice -> assertThat(notice.kind()).isEqualTo(Notice.Kind.EPOCH))
        .satisfies(notice -> assertThat(notice.sender().epoch()).isEqualTo(4));
    CandidateRecord other = progress(1, 0, 31).decode().toBuilder().setEpoch(4).build();
    assertThat(check.observe(event(other)).notices()).isEmpty();
  }

  @Test
  void aRestoredCheckContinuesFromTheFurthestPosition() {
    check.observe(opened(0, 1, 10));
    List<SequenceCheck.Position> older = List.copyOf(check.positions());
    check.observe(opened(0, 2, 20));
    SequenceCheck restored = new SequenceCheck();
    restored.restore(check.positions());
    restored.restore(older);
    assertThat(restored.observe(opened(0, 2, 20)).fresh()).isFalse();
    Outcome next = restored.observe(opened(0, 3, 30));
    assertThat(next.fresh()).isTrue();
    assertThat(next.notices()).isEmpty();
  }

  private static CandidateEvent incarnation(long incarnation, long sequence, long micros) {
    CandidateRecord record = opened(0, sequence, micros).decode();
    return event(record.toBuilder().setIncarnation(incarnation).build());
  }

  private static CandidateRecord withIncarnation(long incarnation, CandidateEvent event) {
    return event.decode().toBuilder().setIncarnation(incarnation).build();
  }

  private static List<Long> sequences(CoverageLost gap) {
    return List.of(gap.getFirstSequence(), gap.getLastSequence());
  }

  private static List<CoverageLost> coverageGaps(Outcome outcome) {
    return outcome.notices().stream()
        .filter(notice -> notice.kind() == Notice.Kind.LOST)
        .map(SequenceCheckTest::coverageGap)
        .toList();
  }

  private static CoverageLost coverageGap(Notice notice) {
    try {
      return CoverageLost.parseFrom(notice.body());
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }
}
