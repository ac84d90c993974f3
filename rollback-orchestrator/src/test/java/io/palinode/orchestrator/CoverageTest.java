package io.palinode.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.request.RollbackRequest;
import io.palinode.orchestrator.step.Unjudged;
import io.palinode.orchestrator.violations.Coverage;
import io.palinode.orchestrator.violations.FoundViolations;
import io.palinode.wire.v1.CoverageLost;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A coverage gap stays unknown until it is acknowledged, also after restarts and retention. */
class CoverageTest {
  private static final Policy P = Policies.beforeViolation("p");

  @Test
  void aGapThatTheSafePointHasPassedStaysUnacknowledgedAfterARestart() {
    Script script = Script.of(1, P).judged(100).coverageLost(0, 200, 250).judged(300);
    script.pass(30_000_000).judged(400).pass(50_000);
    assertThat(script.steps()).endsWith("0: safe 400");
    assertThat(script.restart().state().unacknowledgedGaps()).isEqualTo(1);
    assertThat(Unjudged.of(script.state()))
        .extracting(Unjudged::fromHlc)
        .containsExactly(Hlc.ofMicros(200));
  }

  @Test
  void aGapStaysUnacknowledgedWhenTheViolationsLogHasForgottenIt() {
    Script script = Script.of(1, P).judged(100).coverageLost(0, 200, 250).judged(300);
    script.forgetViolations().restart();
    assertThat(script.state().unacknowledgedGaps()).isEqualTo(1);
    assertThat(script.judged(400).pass(50_000).steps())
        .as("it still holds")
        .endsWith("0: safe 200-");
  }

  @Test
  void anAcknowledgementThatIsInTheLogHoldsAfterARestart() {
    Script script = Script.of(1, P).judged(100).coverageLost(0, 200, 250).acknowledgeCoverage();
    assertThat(script.restart().state().unacknowledgedGaps()).isZero();
    assertThat(script.judged(300).pass(50_000).steps()).endsWith("0: safe 300");
  }

  @Test
  void anAcknowledgementThatTheLogRefusedDoesNotCount() {
    Script script = Script.of(1, P).judged(100).coverageLost(0, 200, 250).holdLog();
    script.acknowledgeCoverage();
    assertThat(script.state().unacknowledgedGaps()).isEqualTo(1);
    assertThat(script.loseHeld().restart().state().unacknowledgedGaps()).isEqualTo(1);
  }

  @Test
  void anAcknowledgementCoversOnlyTheGapsThatTheOperatorHasSeen() {
    Script script = Script.of(1, P).judged(100).coverageLost(0, 200, 250).coverageLost(0, 260, 270);
    script.judged(300).acknowledgeCoverage(1).pass(50_000);
    assertThat(script.state().unacknowledgedGaps()).isEqualTo(1);
    assertThat(script.steps()).endsWith("0: safe 260-");
  }

  @Test
  void noSafePointIsPublishedBeforeTheLogHasTheGap() {
    Script script = Script.of(1, P).holdLog().coverageLost(0, 200, 250).judged(300).pass(50_000);
    assertThat(script.allSteps()).containsExactly("0: coverage: gaps 1");
    assertThat(script.failHeld().pass(1_000_000).allSteps())
        .endsWith("0: coverage: gaps 1", "0: safe 200-");
  }

  @Test
  void aGapThatIsRepeatedChangesNothing() {
    Script script = Script.of(1, P).judged(100).coverageLost(0, 200, 250).acknowledgeCoverage();
    script.steps();
    assertThat(script.coverageLost(0, 200, 250).restart().allSteps()).isEmpty();
    script.control().stream()
        .filter(r -> r.hasCoverage())
        .toList()
        .forEach(record -> script.log(record.toBuilder()));
    assertThat(script.state().log().coverage().found()).isEqualTo(1);
  }

  @Test
  void gapsOfALogOfAnEarlierReleaseAreRecordedAtTheStart() {
    Script script = Script.of(1, P).coverageLost(0, 200, 250).judged(300).pass(30_000_000);
    script.forgetControl(record -> record.hasCoverage()).restart();
    assertThat(script.state().unacknowledgedGaps()).isEqualTo(1);
    assertThat(script.alerts()).last().extracting(Alert::kind).isEqualTo(Alert.Kind.COVERAGE_LOST);
  }

  @Test
  void moreGapsThanAreKeptAreCountedAndTheirSpanIsShown() {
    Script script = Script.of(1, P);
    int gaps = Coverage.LATEST_MAX + 500;
    for (int i = 1; i <= gaps; i++) {
      script.coverageLost(0, i * 10L, i * 10L + 1);
    }
    script.judged(1_000_000).pass(30_000_000);
    assertThat(script.restart().state().unacknowledgedGaps()).isEqualTo(gaps);
    List<Unjudged> shown = Unjudged.of(script.state());
    assertThat(shown).hasSize(Unjudged.MAX + 1);
    assertThat(shown.get(Unjudged.MAX))
        .isEqualTo(
            new Unjudged(
                Hlc.ofMicros(10), Hlc.ofMicros(gaps * 10L + 1), "1400 further coverage gaps"));
    assertThat(script.acknowledgeCoverage().state().unacknowledgedGaps()).isZero();
  }

  @Test
  void gapsThatTheLogCannotTakeAreFoldedBeyondTheLimit() {
    Script script = Script.of(1, P).holdLog();
    for (int i = 1; i <= FoundViolations.UNRECORDED_MAX + 10; i++) {
      script.coverageLost(0, i * 10L, i * 10L + 1);
    }
    assertThat(script.state().found().unrecorded()).hasSize(FoundViolations.UNRECORDED_MAX);
    CoverageLost last = script.state().found().unrecorded().get(FoundViolations.UNRECORDED_MAX - 1);
    assertThat(last.getFromHlc()).isEqualTo(Hlc.ofMicros(FoundViolations.UNRECORDED_MAX * 10L));
    assertThat(last.getToHlc())
        .isEqualTo(Hlc.ofMicros((FoundViolations.UNRECORDED_MAX + 10) * 10L + 1));
    assertThat(last.getCause()).contains("more than 1000 coverage gaps");
  }

  @Test
  void aGapIsShownInWords() {
    assertThat(Unjudged.of(CoverageLost.newBuilder().setToHlc(11).setCause("why").build()))
        .isEqualTo(new Unjudged(0, 11, "why"));
    CoverageLost.Builder ofNode = CoverageLost.newBuilder().setNode(2).setFromHlc(7).setToHlc(9);
    assertThat(Unjudged.of(ofNode.build()))
        .isEqualTo(
            new Unjudged(7, 9, "node 2 was killed, and may not have published all candidates"));
    assertThat(Unjudged.of(ofNode.setFirstSequence(3).setLastSequence(5).build()))
        .isEqualTo(new Unjudged(7, 9, "3 candidates of node 2 did not arrive"));
  }

  @Test
  void anAbandonedPlanIsAlertedOnceAlsoAcrossRestartsAndLaterPlans() {
    Script script = Script.of(1, P).judged(400).violation("v1", "p", 100, 500).paused(1, 0, 501);
    script.operator(1, Intervention.ABANDON).restored(1, 0, 1).convergedAt(1, 0, 1, 900);
    script.restart().pass(1_000_000).restart();
    script.judged(2_000).wish(RollbackRequest.to("by-hand", Hlc.ofMicros(900))).carryOut(2);
    assertThat(script.state().log().epoch()).isEqualTo(2);
    assertThat(script.alerts()).extracting(Alert::kind).containsOnlyOnce(Alert.Kind.PLAN_ABANDONED);
  }

  @Test
  void anAbandonWithoutAnAlertIsAlertedAtTheNextStart() {
    Script script = Script.of(1, P).judged(400).violation("v1", "p", 100, 500).paused(1, 0, 501);
    script.operator(1, Intervention.ABANDON).restored(1, 0, 1).convergedAt(1, 0, 1, 900);
    script.forgetControl(record -> record.hasCoverage());
    script.alerts().clear();
    assertThat(script.restart().restart().alerts())
        .extracting(Alert::kind)
        .containsOnlyOnce(Alert.Kind.PLAN_ABANDONED);
  }
}
