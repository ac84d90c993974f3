package io.palinode.orchestrator;

import static io.palinode.orchestrator.StepText.iso;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.history.ApiHistory;
import io.palinode.orchestrator.history.RollbackProgress;
import io.palinode.orchestrator.plan.PastPlan;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.request.Effect;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.request.PlannedRollback;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.request.RollbackRequest;
import io.palinode.orchestrator.request.Seeds;
import io.palinode.orchestrator.violations.TouchingRollback;
import io.palinode.predicate.OnViolation;
import io.palinode.predicate.OnViolation.Approval;
import io.palinode.predicate.OnViolation.WhenFrequent;
import io.palinode.wire.v1.AffectedClient;
import io.palinode.wire.v1.Concerned;
import io.palinode.wire.v1.EffectReported;
import io.palinode.wire.v1.Moment;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Restored;
import io.palinode.wire.v1.Span;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.Violation;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** An operator's plan undoes only the effects of some writes, or nothing. Times are µs. */
class HandAffectedTest {
  private static final Policy P = Policies.beforeViolation("p");
  private static final Concerned ALICE =
      Concerned.newBuilder()
          .addClients(AffectedClient.newBuilder().setClient("alice").setStandsTo(7))
          .setKeys(1)
          .build();

  @Test
  void itUndoesTheEffectsOfTheNamedWritesOnceAllUpToThePauseIsJudged() {
    Script script = Script.of(2, P).judged(400).wish(wish(at(0, 600), at(1, 500)));
    assertThat(script.steps()).endsWith("1: open [] to 450", "1: pause");
    paused(script, 0, 700);
    paused(script, 1, 800).judged(700);
    assertThat(script.steps()).isEmpty();
    assertThat(script.judged(800).steps()).containsExactly("1: restore 1 to 450 of 2");
    assertThat(asked(script).getAffected().getWitnessesList())
        .containsExactlyInAnyOrder(at(0, 600), at(1, 500));
    restored(script, 0, 1, ALICE);
    restored(script.restart(), 1, 1, ALICE);
    script.convergedAt(1, 0, 1, 900).convergedAt(1, 1, 1, 900);
    assertThat(script.steps()).contains("1: resume from 450 after 900 concerning [alice]");
    assertThat(script.state().log().plans().pastPlan(1))
        .extracting(PastPlan::branchEnd)
        .isNotEqualTo(0);
  }

  @Test
  void violationsThatWantTheSameJoinItWithTheirWitnesses() {
    Script script = Script.of(2, Policies.affected("p")).wish(wish(at(1, 500)));
    script.violation(AffectedRollbackTest.found("v", "p", 0, at(0, 600)));
    paused(script, 0, 700);
    paused(script, 1, 800).judged(800);
    assertThat(script.steps()).last().isEqualTo("1: restore 1 to 450 of 2");
    restored(script, 0, 1, ALICE);
    restored(script, 1, 1, ALICE);
    script.convergedAt(1, 0, 1, 900).convergedAt(1, 1, 1, 900);
    assertThat(script.state().found().demands()).as("its rollback has ended").isEmpty();
  }

  @Test
  void nothingIsUndoneInsteadOfEverythingAndTheLogHasTheReason() {
    Script script = Script.of(2, P).wish(wish(at(1, 500)));
    paused(script, 0, 700);
    script.pausedAt(1, 1, 800).judged(800);
    assertThat(script.steps()).last().isEqualTo("1: restore 1 to 800");
    assertThat(asked(script).getReason()).isEqualTo("node 1 has no access log");
    undoNothing(script, 1);
    assertThat(script.steps()).contains("1: resume from 800 after 900");
    assertThat(script.refusal(RollbackRequest.to("r", Hlc.ofMicros(450))))
        .as("all writes are kept")
        .isEmpty();
    assertThat(script.refusal(RollbackRequest.undoing("u", 1))).contains("it discarded no write");
  }

  @Test
  void aViolationThatUndoesAllIsNotPartOfItAndOpensTheNext() {
    Script script = Script.of(2, P).wish(wish(at(1, 500)));
    paused(script, 0, 700);
    paused(script, 1, 800).violation("v", "p", 550, 600).judged(800);
    assertThat(script.steps()).last().isEqualTo("1: restore 1 to 800");
    assertThat(asked(script).getReason())
        .isEqualTo(
            "predicate=p is violated at " + iso(600) + ", and asks to undo all writes since");
    undoNothing(script.restart(), 1);
    assertThat(script.steps())
        .endsWith("1: resume from 800 after 900", "2: open [v] to 600-", "2: pause");
  }

  /** Its violations open the next plan, which counts as a rollback. */
  @Test
  void aPlanThatUndidNothingIsNoRollbackOfItsViolations() {
    WhenFrequent over = new WhenFrequent(1, Duration.ofSeconds(10), List.of());
    Policy all = Policies.frequent("p", over);
    OnViolation some = Objects.requireNonNull(all.onViolation()).affectingOnlySome();
    for (Policy policy : List.of(all, new Policy("p", 1, some, all.clauses()))) {
      Script script = Script.of(2, policy).violation("p", "", 300, 0, List.of("k")).judged(300);
      script.carryOut(1).wish(wish(at(1, 500)));
      paused(script, 2, 0, 700, 0);
      paused(script, 2, 1, 800, 0).violation(ofKey("k", at(0, 600))).judged(800);
      int attempt = policy.equals(all) ? 1 : 2;
      if (attempt == 2) {
        assertThat(script.refused(2, 0, 1, "a client without a name").steps())
            .contains("2: restore 1 to 450 of 2");
      }
      assertThat(asked(script).getTouchedList()).isEmpty();
      undoNothing(script.restart(), 2, attempt);
      assertThat(script.state().log().frequent().sequential())
          .as("one of the two does not count")
          .isEmpty();
      script.carryOut(3);
      assertThat(script.restart().steps()).contains("3: restore 1 to 600-");
      assertThat(script.state().log().frequent().touching())
          .extracting(TouchingRollback::epoch)
          .containsExactly(1L, 3L);
      assertThat(script.state().log().frequent().sequential()).hasSize(1);
    }
  }

  private static Violation ofKey(String key, Moment... witnesses) {
    Violation.Builder violation = AffectedRollbackTest.found("v", "p", 1, witnesses).toBuilder();
    violation
        .getWitnessesBuilder(0)
        .addValues(VariableVersion.newBuilder().setKey(ByteString.copyFromUtf8(key)));
    return violation.build();
  }

  @Test
  void outOfANodesReachNothingIsUndoneAndNoNodeStaysPaused() {
    Script script = Script.of(2, P).wish(wish(at(1, 500)));
    paused(script, 0, 700, 460);
    assertThat(script.steps()).as("not before all are paused").endsWith("1: pause");
    paused(script, 1, 800).judged(700);
    assertThat(script.steps()).as("nor before all is judged").isEmpty();
    assertThat(script.judged(800).steps()).containsExactly("1: restore 1 to 800");
    assertThat(asked(script).getReason())
        .startsWith("target " + iso(450) + " is out of the reach of node 0");
    undoNothing(script.restart(), 1);
    assertThat(script.steps()).contains("1: resume from 800 after 900");
  }

  @Test
  void aViolationThatBeganOutOfReachIsNotPartOfItEither() {
    Script script = Script.of(2, Policies.beforeFirstWitness("p")).wish(wish(at(1, 500)));
    paused(script, 0, 700, 440);
    paused(script, 1, 800).violation("v", "p", 300, 600).judged(800);
    assertThat(script.steps()).last().isEqualTo("1: restore 1 to 800");
    undoNothing(script.restart(), 1);
    assertThat(script.steps())
        .endsWith("1: resume from 800 after 900", "2: open [v] to 300-", "2: pause");
  }

  @Test
  void aNodeThatRestartsDuringThePauseReachesNoEarlierCutThanItsOwn() {
    Script script = Script.of(2, P).wish(wish(at(1, 500)));
    paused(script, 0, 700);
    paused(script, 1, 800).joined(0, 820).judged(800);
    assertThat(script.steps()).as("node 0 has yet to pause").last().isEqualTo("1: pause");
    paused(script, 0, 830, 820);
    assertThat(script.judged(830).steps()).containsExactly("1: restore 1 to 830");
  }

  @Test
  void aNodeThatWouldUndoEverythingMakesItUndoNothing() {
    Script script = restoring();
    script.refused(1, 0, 1, "a client without a name").refused(1, 1, 1, "the same");
    assertThat(script.steps()).last().isEqualTo("1: restore 2 to 800");
    undoNothing(script.restart(), 2);
    assertThat(script.steps()).contains("1: resume from 800 after 900");
  }

  @Test
  void aCutThatIsViolatedWithTheStandingWritesIsReinstatedWithoutAStepBack() {
    Script script = restoring();
    restored(script, 0, 1, ALICE);
    restored(script, 1, 1, ALICE);
    script.converged(1, 0, 1, "p", 0).converged(1, 1, 1, "p", 1);
    assertThat(script.steps()).last().isEqualTo("1: restore 2 to 800");
    assertThat(asked(script).getReason()).endsWith("holds with the standing writes");
    script.restored(1, 0, 2).restored(1, 1, 2);
    script.convergedAt(1, 0, 2, 900, "p", 0).convergedAt(1, 1, 2, 900, "p", 1);
    assertThat(script.steps()).contains("1: resume from 800 after 900");
  }

  @Test
  void aPlanThatMayUndoItselfCoversNoViolation() {
    Script script = Script.of(2, Policies.affected("p")).wish(wish(at(1, 500)));
    script.violation(AffectedRollbackTest.found("v", "p", 0, at(0, 600)));
    paused(script, 0, 700);
    paused(script, 1, 800).judged(800);
    script.refused(1, 0, 1, "a client without a name");
    undoNothing(script.restart(), 2);
    assertThat(script.steps()).endsWith("2: open [v] to 600-", "2: pause");
  }

  @Test
  void withoutOneEarlierCutItHaltsAndNoRetryUndoesMoreThanRequested() {
    Script script = restoring();
    restored(script, 0, 1, ALICE);
    script.log(
        script
            .record(1)
            .setRestored(
                Restored.newBuilder()
                    .setNode(1)
                    .setAttempt(1)
                    .setBegunAt(Hlc.ofMicros(799))
                    .setConcerned(ALICE)
                    .setLast(true)));
    script.converged(1, 0, 1, "p", 0).converged(1, 1, 1, "p", 1);
    assertThat(script.steps()).last().asString().startsWith("1: halt: predicate=p clause=0");
    assertThat(script.operator(1, Intervention.RETRY).steps())
        .last()
        .asString()
        .startsWith("1: halt: ");
  }

  @Test
  void beforeItsFirstRestoreItIsCancelledLikeAnyOther() {
    Script script = Script.of(1, P).wish(wish(at(0, 500))).cancel(1);
    paused(script, 0, 700).judged(700);
    assertThat(script.steps()).endsWith("1: cancel", "1: keep 1 to 700");
  }

  @Test
  void theOrchestratorKnowsSomeReasonsForAllWithoutTheNodes() throws RefusedException {
    RollbackRequest wish = wish(at(1, 500));
    assertThat(RollbackMachine.whyAll(Script.of(2, P).state(), wish)).isEmpty();
    Script lost = Script.of(2, P).coverageLost(0, 300, 550);
    assertThat(RollbackMachine.whyAll(lost.state(), wish)).startsWith("a coverage gap");
    Script waiting = Script.of(2, Policies.gated("q", null, Approval.REQUIRED));
    waiting.violation("v", "q", 500, 500);
    assertThat(RollbackMachine.whyAll(waiting.state(), wish)).contains("waits for approval");
  }

  /** A successor reads the safe point first, and the gap that it has passed afterwards. */
  @Test
  void aGapIsKnownToASuccessorAndEvenIfItArrivesLate() throws RefusedException {
    Script passed = Script.of(2, P).judged(400).pass(50_000);
    passed.coverageLost(0, 300, 550).acknowledgeCoverage().judged(600).pass(50_000);
    assertThat(passed.steps()).endsWith("0: safe 600");
    String why = "a coverage gap ends at " + iso(550) + ", after the target";
    assertThat(RollbackMachine.whyAll(passed.state(), wish(at(1, 500)))).isEqualTo(why);
    passed.restart();
    assertThat(RollbackMachine.whyAll(passed.state(), wish(at(1, 500)))).isEqualTo(why);
    assertThat(passed.state().unacknowledgedGaps()).as("it was alerted and acknowledged").isZero();
    Script late = Script.of(2, P).judged(600).pass(50_000).coverageLost(0, 300, 550);
    assertThat(RollbackMachine.whyAll(late.state(), wish(at(1, 500)))).isEqualTo(why);
  }

  @Test
  void aPlanKnowsTheWritesThatNodesFoundByTheirKeys() {
    EffectReported.Builder reported =
        EffectReported.newBuilder().addWitnesses(at(1, 500)).setWrites(3);
    RollbackRequest asked = RollbackRequest.to("r", Hlc.ofMicros(450));
    PlannedRollback some = PlannedRollback.of("id", asked, effect(reported.build(), ""));
    assertThat(some.request().seeds().witnesses()).containsExactly(at(1, 500));
    assertThat(some.request().request()).isEqualTo("id");
    EffectReported all = EffectReported.newBuilder().setAllBecause("too many").build();
    PlannedRollback whole = PlannedRollback.of("id", wish(at(1, 500)), effect(all, "too many"));
    assertThat(whole.request().seeds()).isEqualTo(Seeds.ALL);
    assertThat(whole.effect().whyAll()).isEqualTo("too many");
    PlannedRollback again = some.again(effect(reported.setWrites(5).build(), ""));
    assertThat(again.again(again.effect()).before()).isEqualTo(some.effect());
  }

  @Test
  void oneNodeWithoutAnAccessLogMakesTheEffectAll() {
    EffectReported some = EffectReported.newBuilder().addWitnesses(at(1, 500)).build();
    Effect mixed =
        new Effect(0, 0, List.of(some, EffectReported.newBuilder().build()), List.of(), 0, "");
    assertThat(mixed.isOfSome()).isFalse();
    assertThat(effect(some, "").isOfSome()).isTrue();
  }

  /** A later plan to before this one discards them. */
  @Test
  void standingWritesCountAsClientsWrites() {
    Script some = restoring();
    restored(some, 0, 1, ALICE);
    restored(some, 1, 1, ALICE);
    some.convergedAt(1, 0, 1, 900).convergedAt(1, 1, 1, 900).restart();
    assertThat(excepted(some, 400)).containsExactly(span(800, 900));
    assertThat(excepted(some, 850)).containsExactly(span(850, 900));
    Script all =
        Script.of(2, P).wish(RollbackRequest.to("r", Hlc.ofMicros(450))).pausedAt(1, 0, 700);
    all.pausedAt(1, 1, 800).judged(800).restored(1, 0, 1).restored(1, 1, 1);
    all.convergedAt(1, 0, 1, 900).convergedAt(1, 1, 1, 900);
    assertThat(excepted(all, 400)).containsExactly(span(450, 900));
  }

  @Test
  void withoutOneEarlierCutTheExceptionStartsWhereTheFirstNodeWasPaused() {
    Script script = restoring();
    for (int node = 0; node < 2; node++) {
      script.log(
          script
              .record(1)
              .setRestored(
                  Restored.newBuilder()
                      .setNode(node)
                      .setAttempt(1)
                      .setBegunAt(Hlc.ofMicros(799))
                      .setConcerned(ALICE)
                      .setLast(true)));
    }
    script.convergedAt(1, 0, 1, 900).convergedAt(1, 1, 1, 900);
    assertThat(excepted(script, 400)).containsExactly(span(700, 900));
  }

  private static List<Span> excepted(Script script, long targetMicros) {
    return Effect.except(script.state().log(), Hlc.ofMicros(targetMicros));
  }

  private static Span span(long from, long to) {
    return Span.newBuilder().setFrom(Hlc.ofMicros(from)).setTo(Hlc.ofMicros(to)).build();
  }

  @Test
  void itsResultIsShown() {
    ApiHistory done = new ApiHistory(2);
    Script script = restoring();
    restored(script, 0, 1, ALICE);
    restored(script, 1, 1, ALICE);
    script.convergedAt(1, 0, 1, 900).convergedAt(1, 1, 1, 900).control().forEach(done::took);
    assertThat(done.progress(1)).extracting(RollbackProgress::isGivenUp).isEqualTo(false);
    assertThat(done.progress(1)).extracting(RollbackProgress::concerned).isEqualTo(ALICE);
    ApiHistory givenUp = new ApiHistory(2);
    Script other = restoring().refused(1, 0, 1, "too much");
    undoNothing(other, 2);
    other.control().forEach(givenUp::took);
    assertThat(givenUp.progress(1)).extracting(RollbackProgress::isGivenUp).isEqualTo(true);
  }

  private static Effect effect(EffectReported reported, String whyAll) {
    return new Effect(0, 0, List.of(reported), List.of(), 0, whyAll);
  }

  private static void undoNothing(Script script, int attempt) {
    undoNothing(script, 1, attempt);
  }

  private static void undoNothing(Script script, long epoch, int attempt) {
    script.restored(epoch, 0, attempt).restored(epoch, 1, attempt);
    script.convergedAt(epoch, 0, attempt, 900).convergedAt(epoch, 1, attempt, 900);
  }

  private static Script restoring() {
    Script script = Script.of(2, P).wish(wish(at(1, 500)));
    paused(script, 0, 700);
    paused(script, 1, 800).judged(800);
    assertThat(script.steps()).endsWith("1: restore 1 to 450 of 1");
    return script;
  }

  private static RollbackRequest wish(Moment... witnesses) {
    return RollbackRequest.to("request", Hlc.ofMicros(450))
        .undoingOnly(Set.of(witnesses), List.of());
  }

  private static Restore asked(Script script) {
    return script.control().stream()
        .filter(record -> record.hasRestore())
        .map(record -> record.getRestore())
        .reduce((older, newer) -> newer)
        .orElseThrow();
  }

  private static Script paused(Script script, int node, long quietMicros) {
    return paused(script, node, quietMicros, 0);
  }

  private static Script paused(Script script, int node, long quietMicros, long reachMicros) {
    return paused(script, 1, node, quietMicros, reachMicros);
  }

  private static Script paused(
      Script script, long epoch, int node, long quietMicros, long reachMicros) {
    return script.log(
        script
            .record(epoch)
            .setPaused(
                Paused.newBuilder()
                    .setNode(node)
                    .setReach(Hlc.ofMicros(reachMicros))
                    .setQuietSince(Hlc.ofMicros(quietMicros))
                    .setAccessesSince(Hlc.ofMicros(100))));
  }

  private static void restored(Script script, int node, int attempt, Concerned concerned) {
    script.log(
        script
            .record(1)
            .setRestored(
                Restored.newBuilder()
                    .setNode(node)
                    .setAttempt(attempt)
                    .setConcerned(concerned)
                    .setLast(true)));
  }

  private static Moment at(int node, long micros) {
    return Moment.newBuilder().setNode(node).setHlc(Hlc.ofMicros(micros)).build();
  }
}
