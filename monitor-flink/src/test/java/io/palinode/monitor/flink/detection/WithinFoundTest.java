package io.palinode.monitor.flink.detection;

import static io.palinode.monitor.Records.clock;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.monitor.Notice;
import io.palinode.monitor.Records;
import io.palinode.monitor.Search;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import org.junit.jupiter.api.Test;

/** Clauses with {@code within} in the job, from the records of nodes to verdicts and gaps. */
class WithinFoundTest extends WithinFixture {
  @Test
  void aTriggerWithoutAnAnswerIsAViolationOnceAllNodesHavePassedItsTime() throws Exception {
    allAt(100, 0, 0, 0);
    source.read(trigger(0, 1, "1", 1_000));
    allAt(6_009, 1, 0, 0);
    assertThat(violations()).isEmpty();
    restart();
    allAt(6_010, 1, 0, 0);
    Violation found = violations().iterator().next();
    assertThat(violations()).hasSize(1);
    assertThat(found.getGrade()).isEqualTo(ViolationGrade.DEFINITE);
    assertThat(found.getFirst()).isEqualTo(Hlc.ofMicros(1_000));
    assertThat(found.getViolate()).isEqualTo(Hlc.ofMicros(6_010));
    assertThat(found.getWithinMicros()).isEqualTo(5_000);
    assertThat(found.getWitnessesList()).hasSize(1);
    allAt(20_000, 1, 0, 0);
    assertThat(keptEntries()).as("an instance without state is dropped").isZero();
    assertThat(gaps()).isEmpty();
  }

  @Test
  void anAnswerInTimeIsEnoughAlsoIfTheJobRestartsMeanwhile() throws Exception {
    allAt(100, 0, 0, 0);
    source.read(trigger(0, 1, "1", 1_000));
    restart();
    source.read(answer(2, 1, "1", 5_900));
    restart();
    allAt(50_000, 1, 0, 1);
    assertThat(violations()).isEmpty();
    assertThat(gaps()).isEmpty();
  }

  @Test
  void aTriggerBeforeTheSearchOfEachNodeIsACoverageGap() throws Exception {
    source.read(whole(0, 0, 100));
    source.read(whole(1, 0, 100));
    source.read(trigger(0, 1, "1", 1_000));
    source.read(whole(2, 0, 2_000));
    source.read(trigger(0, 2, "2", 2_500));
    allAt(20_000, 2, 0, 0);
    assertThat(violations()).extracting(Violation::getBinding).containsExactly("o=2");
    assertThat(gaps())
        .singleElement()
        .extracting(CoverageLost::getCause)
        .isEqualTo("detection of p with o=1 may have missed answers: 1 triggers are not judged");
  }

  /** It may stand after an abandoned plan, and nodes do not ask for it again. */
  @Test
  void aTriggerThatComesAfterItsEpochIsACoverageGap() throws Exception {
    allAt(100, 0, 0, 0);
    source.read(whole(1, 0, 1_500).toBuilder().setEpoch(1).build());
    CandidateRecord late = trigger(0, 1, "1", 1_000);
    event(Records.event(late));
    assertThat(violations()).isEmpty();
    assertThat(gaps())
        .singleElement()
        .extracting(CoverageLost::getCause)
        .asString()
        .contains("with o=1")
        .contains("ended while triggers waited for answers");
  }

  /** The list of the next incarnation came first, over the other input. */
  @Test
  void aTriggerThatComesAfterALaterListOfItsNodeIsACoverageGap() throws Exception {
    allAt(100, 0, 0, 0);
    CandidateRecord next = whole(0, 0, 30_000).toBuilder().setIncarnation(2).build();
    for (Notice notice :
        Search.wholeNotices(Records.event(next), next.getProgress().getWholeList())) {
      notice(notice);
    }
    source.read(trigger(0, 1, "1", 1_000));
    allAt(20_000, 1, 0, 0);
    assertThat(violations()).isEmpty();
    assertThat(gaps())
        .singleElement()
        .extracting(CoverageLost::getCause)
        .isEqualTo("detection of p with o=1 may have missed answers: 1 triggers are not judged");
  }

  /** The order was paid before; a restart of its node does not pay it again. */
  @Test
  void aTriggerThatANodeFoundAsksForNothing() throws Exception {
    CandidateRecord.Builder found = trigger(0, 1, "1", 1_000).toBuilder();
    found.getOpenedBuilder().setFound(true);
    source.read(found.build());
    allAt(1_100, 1, 0, 0);
    allAt(50_000, 1, 0, 0);
    assertThat(violations()).isEmpty();
    assertThat(gaps()).isEmpty();
    assertThat(keptEntries()).isZero();
  }

  @Test
  void anAnswerThatANodeFoundCounts() throws Exception {
    CandidateRecord.Builder found = answer(1, 1, "1", 90).toBuilder();
    found.getOpenedBuilder().setFound(true);
    source.read(found.build());
    allAt(100, 0, 1, 0);
    source.read(trigger(0, 1, "1", 1_000));
    allAt(50_000, 1, 1, 0);
    assertThat(violations()).isEmpty();
    assertThat(gaps()).isEmpty();
  }

  /** The answer was in the gap: a known one does not come. */
  @Test
  void aGapInTheTimeOfATriggerIsNoViolation() throws Exception {
    allAt(100, 0, 0, 0);
    source.read(trigger(0, 1, "1", 1_000));
    source.read(Records.gap(2, 1, 1, 2_000, 2_000));
    source.read(trigger(0, 2, "2", 2_500));
    restart();
    source.read(whole(2, 1, 3_000));
    restart();
    source.read(trigger(0, 3, "3", 3_500));
    allAt(20_000, 3, 0, 1);
    assertThat(violations())
        .as("after the gap, the node has published all that holds")
        .extracting(Violation::getBinding)
        .containsExactly("o=3");
    assertThat(gaps()).extracting(CoverageLost::getCause).filteredOn(c -> !c.isEmpty()).hasSize(1);
  }

  /** The table of open intervals is full: the node has more answers than it publishes. */
  @Test
  void untilANodeHasPublishedAllThatHoldsNothingIsJudged() throws Exception {
    allAt(100, 0, 0, 0);
    source.read(Records.gap(2, 1, 1, 2_000, 2_000));
    source.read(progress(2, 1, 3_000, false));
    source.read(trigger(0, 1, "1", 10_000));
    source.read(whole(0, 1, 20_000));
    source.read(whole(1, 0, 20_000));
    source.read(progress(2, 1, 20_000, false));
    assertThat(violations()).isEmpty();
    assertThat(gaps()).hasSize(2);
    source.read(answer(2, 2, "1", 21_000));
    source.read(whole(2, 2, 21_000));
    source.read(trigger(0, 2, "2", 30_000));
    allAt(50_000, 2, 0, 2);
    assertThat(violations()).extracting(Violation::getBinding).containsExactly("o=2");
  }

  @Test
  void aKilledNodeMakesAGapAndNoViolation() throws Exception {
    allAt(100, 0, 0, 0);
    source.read(trigger(0, 1, "1", 1_000));
    source.read(whole(0, 1, 30_000));
    source.read(whole(1, 0, 30_000));
    assertThat(violations()).as("its answer may come").isEmpty();
    source.read(progress(2, 0, 29_000, true).toBuilder().setIncarnation(2).build());
    source.read(progress(2, 0, 30_000, true).toBuilder().setIncarnation(2).build());
    assertThat(violations()).isEmpty();
    assertThat(gaps()).as("of the node, and of the trigger").hasSize(2);
    source.read(trigger(0, 2, "2", 31_000));
    source.read(whole(0, 2, 50_000));
    source.read(whole(1, 0, 50_000));
    source.read(progress(2, 0, 50_000, true).toBuilder().setIncarnation(2).build());
    assertThat(violations()).extracting(Violation::getBinding).containsExactly("o=2");
  }

  @Test
  void whatWaitsAtARollbackIsACoverageGap() throws Exception {
    allAt(100, 0, 0, 0);
    source.read(trigger(0, 1, "1", 1_000));
    source.read(whole(0, 1, 2_000).toBuilder().setEpoch(1).build());
    source.read(whole(1, 0, 2_000).toBuilder().setEpoch(1).build());
    source.read(whole(2, 0, 2_000).toBuilder().setEpoch(1).build());
    for (int node = 0; node < Records.NODES; node++) {
      source.read(whole(node, node == 0 ? 1 : 0, 20_000).toBuilder().setEpoch(1).build());
    }
    assertThat(violations()).isEmpty();
    assertThat(gaps())
        .singleElement()
        .extracting(CoverageLost::getCause)
        .isEqualTo(
            "detection of p with o=1 ended while triggers waited for answers: by a rollback, or by"
                + " another version");
  }

  @Test
  void aRollbackWhileOnlyAnswersAreKeptIsNoCoverageGap() throws Exception {
    allAt(100, 0, 0, 0);
    source.read(trigger(0, 1, "1", 1_000));
    source.read(answer(1, 1, "1", 1_200));
    source.read(Records.closed(1, 2, 1, of("1", 1), clock(1, 1_200, LAG), clock(1, 1_900, LAG)));
    for (long micros : new long[] {2_000, 20_000}) {
      source.read(whole(0, 1, micros).toBuilder().setEpoch(1).build());
      source.read(whole(1, 2, micros).toBuilder().setEpoch(1).build());
      source.read(whole(2, 0, micros).toBuilder().setEpoch(1).build());
    }
    assertThat(keptEntries()).as("the rollback discarded it").isZero();
    assertThat(violations()).isEmpty();
    assertThat(gaps()).isEmpty();
  }

  /** A job that restarted has no watermark before each node's first record. */
  @Test
  void aRollbackRightAfterARestartOfTheJobIsACoverageGapToo() throws Exception {
    allAt(100, 0, 0, 0);
    source.read(trigger(0, 1, "1", 1_000));
    restart();
    source.read(trigger(0, 2, "1", 3_000).toBuilder().setEpoch(1).build());
    assertThat(gaps())
        .singleElement()
        .extracting(CoverageLost::getToHlc)
        .isEqualTo(Hlc.ofMicros(1_003_000));
  }

  /** The refused answer may be that of a later instance. */
  @Test
  void anAnswerWithoutRoomForItsInstanceMakesNoViolation() throws Exception {
    harness.close();
    harness = harness(DetectionSettings.DEFAULT.withInstancesMax(1));
    harness.open();
    learnWithin();
    allAt(100, 0, 0, 0);
    source.read(answer(1, 1, "1", 500));
    source.read(answer(1, 2, "2", 600));
    source.read(Records.closed(1, 3, 1, of("1", 1), clock(1, 500, LAG), clock(1, 700, LAG)));
    allAt(800, 0, 3, 0);
    assertThat(keptEntries()).as("now there is room").isZero();
    restart();
    source.read(trigger(0, 1, "2", 1_000));
    allAt(20_000, 1, 3, 0);
    assertThat(violations()).isEmpty();
    assertThat(gaps()).isNotEmpty();
  }

  /** For example the opening of a term that the predicate does not have. */
  @Test
  void anEventThatCannotBeUsedMakesItsInstanceUnsure() throws Exception {
    allAt(100, 0, 0, 0);
    source.read(trigger(0, 1, "1", 1_000));
    source.read(Records.opened(1, 1, of("1", 7), clock(1, 2_000, LAG)));
    restart();
    source.read(trigger(0, 2, "1", 3_000));
    source.read(trigger(0, 3, "2", 3_000));
    allAt(20_000, 3, 1, 0);
    assertThat(violations()).isEmpty();
    assertThat(gaps()).isNotEmpty();
  }
}
