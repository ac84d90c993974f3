package io.palinode.orchestrator;

import static io.palinode.orchestrator.StepText.iso;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.SafePoint;
import org.junit.jupiter.api.Test;

/** The safe point, and coverage gaps that hold it. Times are microseconds. */
class SafePointScenarioTest {
  private static final Policy P = Policies.beforeViolation("p");
  private static final Policy Q = Policies.beforeFirstWitness("q");

  @Test
  void aSafePointThatArrivesLateStillBoundsTheTarget() {
    Script script = Script.of(1, Q).holdLog().violation("v1", "q", 300, 500);
    script.log(script.record(0).setSafePoint(SafePoint.newBuilder().setHlc(400L << 12)));
    script.releaseLog().judged(500).paused(1, 0, 0);
    assertThat(script.steps())
        .containsExactly("1: open [v1] to 300-", "1: pause", "1: restore 1 to 400");
  }

  @Test
  void aViolationAtTheSafePointIsAlertedAndNotRolledBack() {
    Script script = Script.of(1, P).judged(400).violation("v1", "p", 300, 400);
    assertThat(script.steps()).containsExactly("0: safe 400");
    assertThat(script.alerts())
        .extracting(Alert::kind)
        .containsExactly(Alert.Kind.VIOLATION_TOO_LATE);
  }

  @Test
  void theSafePointFollowsJudgementAtMostEvery50Ms() {
    Script script = Script.of(1, P).judged(100).judged(200).judged(300);
    assertThat(script.steps()).containsExactly("0: safe 100");
    assertThat(script.pass(49_999).steps()).isEmpty();
    assertThat(script.pass(1).steps()).containsExactly("0: safe 300");
    assertThat(script.judged(250).pass(50_000).steps()).isEmpty();
  }

  @Test
  void theSafePointStandsWhileAPlanIsOpen() {
    Script script = Script.of(1, P).violation("v1", "p", 100, 500).judged(450).pass(100_000);
    assertThat(script.steps()).containsExactly("1: open [v1] to 500-", "1: pause");
    script.log(script.record(1).setSafePoint(SafePoint.newBuilder().setHlc(450L << 12)));
    assertThat(script.state().safePoint()).isZero();
  }

  @Test
  void aCoverageGapHoldsTheSafePointUntilItIsAcknowledged() {
    Script script = Script.of(1, P).judged(100).pass(50_000);
    script.coverageLost(0, 200, 250).judged(300).pass(50_000);
    assertThat(script.steps()).containsExactly("0: safe 100", "0: safe 200-");
    assertThat(script.judged(400).pass(50_000).steps()).isEmpty();
    assertThat(script.alerts()).extracting(Alert::kind).containsExactly(Alert.Kind.COVERAGE_LOST);
    assertThat(script.acknowledgeCoverage().steps()).containsExactly("0: safe 400");
  }

  @Test
  void anUnacknowledgedCoverageGapHoldsTheSafePointFor30Seconds() {
    Script script = Script.of(1, P).judged(100).pass(50_000);
    script.coverageLost(0, 200, 250).judged(300).pass(29_000_000);
    assertThat(script.steps()).containsExactly("0: safe 100", "0: safe 200-");
    assertThat(script.pass(1_000_000).steps()).containsExactly("0: safe 300");
    assertThat(script.restart().judged(400).pass(50_000).steps())
        .as("the gap does not hold it again")
        .containsExactly("0: safe 400");
  }

  @Test
  void aFurtherGapProlongsTheHold() {
    Script script = Script.of(1, P).coverageLost(0, 200, 250).judged(300).pass(20_000_000);
    script.coverageLost(0, 220, 240).pass(20_000_000);
    assertThat(script.steps()).containsExactly("0: safe 200-");
    assertThat(script.pass(10_000_000).steps()).containsExactly("0: safe 300");
  }

  @Test
  void theAlertOfAKilledNodesGapNamesTheCause() {
    Script script = Script.of(1, P).coverageLost(0, 200, 250);
    assertThat(script.alerts().get(0).annotations().get("summary"))
        .contains("was killed", "from %s to %s".formatted(iso(200), iso(250)), "at most 30 s");
  }

  @Test
  void theAlertOfAGapWithoutANodeHasOnlyItsCause() {
    CoverageLost gap =
        CoverageLost.newBuilder()
            .setPartition(2)
            .setToHlc(Hlc.ofMicros(250))
            .setCause("why")
            .build();
    Alert alert = Script.of(1, P).judged(100).coverageLost(gap).alerts().get(0);
    assertThat(alert.labels()).containsEntry("partition", "2").doesNotContainKey("node");
    assertThat(alert.annotations().get("summary"))
        .startsWith(
            "why: some events up to " + iso(250) + " were not judged; the safe point is held");
  }

  @Test
  void anAcknowledgedGapDoesNotHoldTheSafePointAfterARestart() {
    Script script = Script.of(1, P).coverageLost(0, 200, 250).judged(300).acknowledgeCoverage();
    script.pass(50_000).judged(300).restart().judged(400).pass(50_000);
    assertThat(script.steps()).last().isEqualTo("0: safe 400");
  }

  @Test
  void aGapWithoutAStartHoldsTheSafePointWhereItIs() {
    Script script = Script.of(1, P).judged(100).coverageLost(0, 0, 150).judged(200).pass(50_000);
    assertThat(script.steps()).containsExactly("0: safe 100");
    assertThat(script.restart().pass(50_000).steps()).isEmpty();
    assertThat(script.acknowledgeCoverage().steps()).containsExactly("0: safe 200");
  }

  @Test
  void aGapBeforeTheSafePointIsAlertedAndHoldsNothing() {
    Script script = Script.of(1, P).judged(300).coverageLost(0, 100, 200).judged(400).pass(50_000);
    assertThat(script.steps()).containsExactly("0: safe 300", "0: safe 400");
    assertThat(script.alerts().get(0).annotations().get("summary"))
        .contains(
            "from %s to %s".formatted(iso(100), iso(200)),
            "the safe point " + iso(300) + " had passed it");
  }

  @Test
  void anUnacknowledgedGapHoldsTheSafePointAfterARestart() {
    Script script = Script.of(1, P).coverageLost(0, 200, 250).judged(300).restart().judged(400);
    assertThat(script.pass(50_000).steps()).containsExactly("0: safe 200-");
  }
}
