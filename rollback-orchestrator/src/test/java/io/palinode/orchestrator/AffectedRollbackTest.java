package io.palinode.orchestrator;

import static io.palinode.orchestrator.StepText.iso;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcCodec;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.predicate.OnViolation;
import io.palinode.predicate.OnViolation.Approval;
import io.palinode.wire.v1.AffectedClient;
import io.palinode.wire.v1.AtKey;
import io.palinode.wire.v1.Concerned;
import io.palinode.wire.v1.Converged;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.Moment;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Restored;
import io.palinode.wire.v1.Scope;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import io.palinode.wire.v1.Witness;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A plan that undoes only what came of its witnesses. Times are microseconds. */
class AffectedRollbackTest {
  private static final Policy SOME = Policies.affected("p");

  @Test
  void allUpToThePauseIsJudgedFirstAndEveryWitnessAfterTheTargetIsNamed() {
    Script script = Script.of(2, SOME).violation(found("v1", "p", 0, at(0, 300), at(1, 500)));
    assertThat(script.steps()).containsExactly("1: open [v1] to 500-", "1: pause");
    paused(script, 0, 700, 100);
    paused(script, 1, 800, 100).judged(700);
    assertThat(script.steps()).isEmpty();
    script.violation(found("v2", "p", 0, at(0, 600), at(1, 500))).judged(800);
    assertThat(script.steps()).containsExactly("1: restore 1 to 500- of 2");
    assertThat(scope(script).getWitnessesList()).containsExactlyInAnyOrder(at(1, 500), at(0, 600));
  }

  @Test
  void theNewEpochNamesTheClientsThatItConcerns() {
    Script script = restoring(SOME);
    Concerned alice =
        Concerned.newBuilder()
            .addClients(AffectedClient.newBuilder().setClient("alice").setStandsTo(7))
            .build();
    restored(script, 0, alice);
    restored(script, 1, alice);
    converged(script, 0);
    converged(script, 1);
    assertThat(script.steps())
        .contains("1: converge 1", "1: resume from 500- after 800 concerning [alice]");
  }

  @Test
  void aSuccessorContinuesThePlan() {
    Script script = restoring(SOME);
    Concerned noClient = Concerned.newBuilder().setKeys(1).build();
    restored(script, 0, noClient);
    restored(script.restart(), 1, noClient);
    converged(script, 0);
    assertThat(converged(script.restart(), 1).steps())
        .contains("1: resume from 500- after 800 concerning []");
  }

  @Test
  void aNodeWithoutClientNamesMakesTheNextAttemptUndoAll() {
    Script script = restoring(SOME);
    script.refused(1, 1, 1, "a client without a name").restored(1, 0, 2).restored(1, 1, 2);
    assertThat(script.steps()).containsExactly("1: restore 2 to 500-", "1: converge 2");
    script.convergedAt(1, 0, 2, 900).convergedAt(1, 1, 2, 900);
    assertThat(script.steps()).contains("1: resume from 500- after 900");
  }

  @Test
  void aCutThatIsViolatedWithTheStandingWritesIsUndoneAsAWhole() {
    Script script = restoring(SOME);
    restored(script, 0, Concerned.getDefaultInstance());
    restored(script, 1, Concerned.getDefaultInstance());
    script.converged(1, 0, 1, "p", 0).converged(1, 1, 1, "p", 1);
    assertThat(script.steps()).last().isEqualTo("1: restore 2 to 500-");
  }

  @Test
  void toUndoOnlySomeIsNoStepBack() {
    long t = 1_000_000;
    Script script = Script.of(2, SOME).violation(found("v1", "p", 0, at(0, t - 100), at(1, t)));
    paused(script, 0, t + 100, 100);
    paused(script, 1, t + 200, 100).judged(t + 200);
    restored(script, 0, Concerned.getDefaultInstance());
    restored(script, 1, Concerned.getDefaultInstance());
    for (int attempt = 1; attempt <= 2; attempt++) {
      script.convergedSince(1, 0, attempt, "p", 900_000, 800_000).converged(1, 1, attempt, "p");
      script.restored(1, 0, 2).restored(1, 1, 2);
    }
    assertThat(script.steps())
        .containsSubsequence("1: restore 2 to 1000000-", "1: restore 3 to 900000-");
  }

  @Test
  void anIntervalThatContinuesWhileAnotherKeyChangedMakesItAll() {
    assertThat(prolonged("a=1,k=2", 4, "k=2", 5)).isEqualTo("1: restore 2 to 500-");
    assertThat(prolonged("a=1,k=2", 4, "", 0)).isEqualTo("1: restore 2 to 500-");
    assertThat(prolonged("a=1,k=2", 4, "k=3", 5)).startsWith("1: resume");
    assertThat(prolonged("a=1,k=2", 4, "k=2", 4)).as("the key itself").startsWith("1: resume");
  }

  private static String prolonged(String back, long backKey, String stood, long stoodKey) {
    Script script = restoring(SOME);
    restored(script, 0, Concerned.getDefaultInstance());
    restored(script, 1, Concerned.getDefaultInstance());
    Converged.Builder first = Converged.newBuilder().setNode(0).setAttempt(1).setLast(true);
    script.log(script.record(1).setConverged(first.addBack(about(back, backKey))));
    Converged.Builder second = Converged.newBuilder().setNode(1).setAttempt(1).setLast(true);
    script.log(script.record(1).setConverged(second.addStood(about(stood, stoodKey))));
    List<String> steps = script.steps();
    return steps.get(steps.indexOf("1: converge 1") + 1);
  }

  private static AtKey about(String binding, long key) {
    return AtKey.newBuilder()
        .setPredicate("p")
        .setPredicateVersion(1)
        .setBinding(binding)
        .setKey(key)
        .build();
  }

  @Test
  void aNodeWithoutTheAccessMakesItAllAndTheLogHasTheReason() {
    Script script = Script.of(2, SOME).violation(found("v1", "p", 0, at(0, 300), at(1, 500)));
    paused(script, 0, 700, 100);
    script.pausedAt(1, 1, 800).judged(800);
    assertThat(script.steps()).endsWith("1: restore 1 to 500-");
    assertThat(asked(script).getReason()).isEqualTo("node 1 has no access log");
  }

  @Test
  void aNodeThatRestartedAfterTheTargetMakesItAll() {
    Script script = Script.of(2, SOME).violation(found("v1", "p", 0, at(0, 300), at(1, 500)));
    paused(script, 1, 700, 100);
    paused(script, 1, 750, 600);
    paused(script, 0, 700, 100).judged(800);
    assertThat(script.steps()).endsWith("1: restore 1 to 500-");
    assertThat(asked(script).getReason()).startsWith("the access log of node 1 starts only");
  }

  @Test
  void oneViolationThatWantsAllMakesItAll() {
    Script script =
        Script.of(2, SOME, Policies.beforeViolation("q"))
            .violation(found("v1", "p", 0, at(0, 300), at(1, 500)));
    paused(script, 0, 700, 100);
    paused(script, 1, 800, 100);
    script.violation(found("v2", "q", 0, at(0, 550), at(1, 600))).judged(800);
    assertThat(script.steps()).endsWith("1: restore 1 to 500-");
  }

  @Test
  void oneThatWaitsForApprovalMakesItAll() {
    Script script =
        Script.of(2, SOME, Policies.gated("q", null, Approval.REQUIRED))
            .violation(found("v1", "p", 0, at(0, 300), at(1, 500)));
    paused(script, 0, 700, 100);
    paused(script, 1, 800, 100);
    script.violation(found("v2", "q", 0, at(0, 550), at(1, 600))).judged(800);
    assertThat(script.steps()).endsWith("1: restore 1 to 500-");
    assertThat(asked(script).getReason()).contains("waits for approval");
  }

  @Test
  void oneThatAnOperatorApprovedIsAll() {
    Policy gated = Policies.gated("p", null, Approval.REQUIRED);
    OnViolation action = Objects.requireNonNull(gated.onViolation()).affectingOnlySome();
    Script script = Script.of(2, new Policy("p", 1, action, gated.clauses()));
    script.violation(found("v1", "p", 0, at(0, 300), at(1, 500))).judged(600).answer(1, true);
    paused(script, 0, 700, 100);
    paused(script, 1, 800, 100).judged(800);
    assertThat(script.steps()).endsWith("1: open [v1] to 500-", "1: pause", "1: restore 1 to 500-");
    assertThat(asked(script).getReason())
        .isEqualTo("an operator approved it, and the log does not name its witnesses");
  }

  @Test
  void aCoverageGapAfterTheTargetMakesItAllEvenIfAcknowledged() {
    Script script = Script.of(2, SOME).coverageLost(0, 300, 550).acknowledgeCoverage();
    script.violation(found("v1", "p", 0, at(0, 300), at(1, 500)));
    paused(script, 0, 700, 100);
    paused(script, 1, 800, 100).judged(800);
    assertThat(script.steps()).endsWith("1: restore 1 to 500-");
    assertThat(asked(script).getReason()).startsWith("a coverage gap ends at " + iso(550));
  }

  @Test
  void whileANodeIsSkippedItIsAllUntilItsNextIncarnation() {
    CoverageLost skipped =
        CoverageLost.newBuilder()
            .setNode(0)
            .setIncarnation(1)
            .setFromHlc(Hlc.ofMicros(300))
            .build();
    Script script = Script.of(2, SOME).coverageLost(skipped).acknowledgeCoverage();
    script.violation(found("v1", "p", 0, at(0, 300), at(1, 500)));
    paused(script, 0, 700, 100);
    paused(script, 1, 800, 100).judged(800);
    assertThat(asked(script).getReason()).isEqualTo("a coverage gap is not over");
    Script over = Script.of(2, SOME).coverageLost(skipped);
    over.coverageLost(skipped.toBuilder().setToHlc(Hlc.ofMicros(400)).build())
        .acknowledgeCoverage();
    over.violation(found("v1", "p", 0, at(0, 300), at(1, 500)));
    paused(over, 0, 700, 100);
    paused(over, 1, 800, 100).judged(800);
    assertThat(asked(over).getReason()).isEmpty();
  }

  @Test
  void aTargetBeforeTheEpochBeganIsUndoneAsAWhole() {
    Script script = restoring(SOME);
    restored(script, 0, Concerned.getDefaultInstance());
    restored(script, 1, Concerned.getDefaultInstance());
    converged(script, 0);
    converged(script, 1).violation(found("v2", "p", 1, at(0, 300), at(1, 801)));
    paused(script, 2, 0, 900, 100);
    paused(script, 2, 1, 900, 100).judged(900);
    assertThat(script.steps()).last().asString().startsWith("2: restore 1").endsWith(" of 1");
    Script before = restoring(SOME);
    before.restored(1, 0, 1).restored(1, 1, 1);
    converged(before, 0);
    converged(before, 1).violation(found("v2", "p", 1, at(0, 300), at(1, 700)));
    paused(before, 2, 0, 900, 100);
    paused(before, 2, 1, 900, 100).judged(900);
    assertThat(before.steps()).noneMatch(line -> line.endsWith(" of 1") && line.startsWith("2"));
  }

  private static Script restoring(Policy policy) {
    Script script = Script.of(2, policy).violation(found("v1", "p", 0, at(0, 300), at(1, 500)));
    paused(script, 0, 700, 100);
    paused(script, 1, 800, 100).judged(800);
    assertThat(script.steps()).endsWith("1: restore 1 to 500- of 1");
    return script;
  }

  private static Restore asked(Script script) {
    return script.control().stream()
        .filter(record -> record.hasRestore())
        .map(record -> record.getRestore())
        .reduce((older, newer) -> newer)
        .orElseThrow();
  }

  private static Scope scope(Script script) {
    return asked(script).getAffected();
  }

  private static Script paused(Script script, int node, long quietMicros, long sinceMicros) {
    return paused(script, 1, node, quietMicros, sinceMicros);
  }

  private static Script paused(
      Script script, long epoch, int node, long quietMicros, long sinceMicros) {
    return script.log(
        script
            .record(epoch)
            .setPaused(
                Paused.newBuilder()
                    .setNode(node)
                    .setQuietSince(Hlc.ofMicros(quietMicros))
                    .setAccessesSince(Hlc.ofMicros(sinceMicros))));
  }

  private static void restored(Script script, int node, Concerned concerned) {
    script.log(
        script
            .record(1)
            .setRestored(
                Restored.newBuilder()
                    .setNode(node)
                    .setAttempt(1)
                    .setConcerned(concerned)
                    .setLast(true)));
  }

  private static Script converged(Script script, int node) {
    return script.convergedAt(1, node, 1, 800);
  }

  private static Moment at(int node, long micros) {
    return Moment.newBuilder().setNode(node).setHlc(Hlc.ofMicros(micros)).build();
  }

  static Violation found(String id, String predicate, long epoch, Moment... witnesses) {
    Violation.Builder violation =
        Violation.newBuilder()
            .setId(id)
            .setPredicate(predicate)
            .setPredicateVersion(1)
            .setEpoch(epoch)
            .setGrade(ViolationGrade.POSSIBLE);
    long first = Long.MAX_VALUE;
    long violate = 0;
    for (Moment witness : witnesses) {
      long[] entries = new long[2];
      entries[witness.getNode()] = witness.getHlc();
      ByteString start = ByteString.copyFrom(HvcCodec.encode(Hvc.of(witness.getNode(), entries)));
      violation.addWitnesses(Witness.newBuilder().setNode(witness.getNode()).setStart(start));
      first = Math.min(first, witness.getHlc());
      violate = Math.max(violate, witness.getHlc());
    }
    return violation.setFirst(first).setViolate(violate).build();
  }
}
