package io.palinode.orchestrator;

import static io.palinode.orchestrator.StepText.iso;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.plan.PastPlan;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.request.Effect;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.request.PlannedRollback;
import io.palinode.orchestrator.request.RollbackRequest;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.SnapshotOpened;
import io.palinode.wire.v1.SnapshotRef;
import io.palinode.wire.v1.SnapshotStep;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Snapshots that an operator restores. Times are microseconds. */
class SnapshotByHandTest {
  private static final Policy P = Policies.beforeViolation("p");
  private static final String LIST = "; 'palinode snapshot list' lists the snapshots";

  @Test
  void itIsRestoredAlsoWhereNoWindowLogReaches() {
    Script script = Script.of(2, P).snapshot("near", 1, 400, 2).judged(600).wish(wish("near"));
    assertThat(script.steps())
        .containsExactly("0: safe 600", "1: open [] to 400 by near", "1: pause");
    assertThat(paused(script, 0, 550).steps()).isEmpty();
    assertThat(paused(script, 1, 0).steps()).containsExactly("1: restore 1 to 400 by near");
    script.restoredFrom(1, 0, 1, 700).restoredFrom(1, 1, 1, 700);
    script.convergedAt(1, 0, 1, 900).convergedAt(1, 1, 1, 950);
    assertThat(script.steps()).containsExactly("1: converge 1", "1: resume from 400 after 950");
    assertThat(script.state().safePoint()).as("it never moves back").isEqualTo(hlc(600));
  }

  /** The nodes log what they replace, so the cut before the rollback can be restored. */
  @Test
  void itCanBeUndone() {
    Script script = restored(Script.of(1, P).snapshot("near", 1, 400, 1).judged(600), "near");
    assertThat(past(script).branchEnd()).isEqualTo(hlc(700));
    script.steps();
    script.wish(RollbackRequest.undoing("u", 1));
    assertThat(script.steps()).containsExactly("2: open [] to 700", "2: pause");
    script.judged(2_000).pausedAt(2, 0, 1_200).restoredFrom(2, 0, 1, 1_300);
    script.convergedAt(2, 0, 1, 1_500).steps();
    assertThat(script.refusal(wish("near"))).isEmpty();
  }

  @Test
  void itIsRestoredFromItsPartsAlsoInReach() {
    Script script = Script.of(1, P).snapshot("near", 1, 400, 1).judged(600).wish(wish("near"));
    assertThat(script.pausedAt(1, 0, 700).steps()).endsWith("1: restore 1 to 400 by near");
  }

  @Test
  void itWaitsForJudgement() {
    Script script = Script.of(1, P).snapshot("near", 1, 400, 1).judged(300).wish(wish("near"));
    assertThat(script.paused(1, 0, 550).steps()).endsWith("1: pause");
    assertThat(script.judged(400).steps()).containsExactly("1: restore 1 to 400 by near");
  }

  @Test
  void oneThatDoesNotExistIsRefused() {
    Script script = Script.of(1, P).snapshot("gone", 1, 400, 1).snapshotDeleted("gone");
    for (String name : new String[] {"gone", "never"}) {
      assertThat(script.refusal(wish(name)))
          .isEqualTo(
              "snapshot '%s' cannot be restored: there is none of this name%s"
                  .formatted(name, LIST));
    }
    assertThat(script.wish(wish("gone")).steps()).isEmpty();
  }

  @Test
  void aPartialOneIsRefusedWithTheNodesWithoutAPart() {
    Script script = Script.of(3, P).snapshot("some", 1, 400, 1);
    assertThat(script.refusal(wish("some")))
        .isEqualTo(
            "snapshot 'some' cannot be restored: it is partial: node 1 has no part (disk full),"
                + " node 2 has no part (disk full)"
                + LIST);
    assertThat(script.snapshotDeleted("some").refusal(wish("some"))).contains("there is none");
    assertThat(script.snapshot("some", 2, 500, 3).refusal(wish("some"))).isEmpty();
  }

  @Test
  void oneThatIsBeingTakenOrMovedIsRefused() {
    Script script = Script.of(1, P).snapshot("moved", 1, 400, 1);
    opened(opened(script, "new", 2), "moved", 3);
    for (String name : new String[] {"new", "moved"}) {
      assertThat(script.refusal(wish(name))).contains(": it is being taken or moved; ");
    }
  }

  @Test
  void oneThatARollbackDiscardedIsRefusedWithTheTimesThatAreNot() {
    Script script = Script.of(1, P).snapshot("kept", 1, 200, 1).snapshot("bad", 2, 500, 1);
    script.judged(600).wish(RollbackRequest.to("t", hlc(300)));
    script.pausedAt(1, 0, 700).restoredFrom(1, 0, 1, 700).convergedAt(1, 0, 1, 900).steps();
    assertThat(script.refusal(wish("bad")))
        .isEqualTo(
            "snapshot 'bad' cannot be restored: rollback 1 discarded what was at %s: choose a time up to %s, or after %s%s"
                .formatted(iso(500), iso(300), iso(900), LIST));
    assertThat(script.refusal(wish("kept"))).isEmpty();
    script.wish(RollbackRequest.undoing("u", 1)).judged(2_000).pausedAt(2, 0, 1_200);
    script.restoredFrom(2, 0, 1, 1_300).convergedAt(2, 0, 1, 1_500).steps();
    assertThat(script.refusal(wish("bad"))).as("its writes are reinstated").isEmpty();
  }

  @Test
  void oneFromBeforeAnAbandonedRollbackIsRefused() {
    Script script = Script.of(1, P).snapshot("near", 1, 400, 1).judged(600);
    script.wish(RollbackRequest.to("t", hlc(300))).paused(1, 0, 500);
    script.operator(1, Intervention.ABANDON).restored(1, 0, 1).convergedAt(1, 0, 1, 900);
    assertThat(script.refusal(wish("near"))).contains("rollback 1 was abandoned", LIST);
  }

  /** The deletion comes between the request and the plan in the log. */
  @Test
  void oneThatIsDeletedMeanwhileHaltsThePlanWhichCanBeCancelled() {
    Script script = Script.of(1, P).snapshot("near", 1, 400, 1).judged(600);
    script.holdLog().wish(wish("near")).snapshotDeleted("near").releaseLog();
    assertThat(script.paused(1, 0, 550).steps())
        .endsWith(
            "1: halt: snapshot 'near' was deleted or moved: 'palinode rollback cancel 1' ends the"
                + " rollback");
    assertThat(script.cancel(1).judged(2_000).steps()).startsWith("1: cancel");
  }

  /** Another cut has its name now. */
  @Test
  void oneThatIsMovedMeanwhileHaltsThePlan() {
    Script script = Script.of(1, P).snapshot("near", 1, 400, 1).judged(600);
    script.holdLog().wish(wish("near")).snapshot("near", 2, 500, 1).releaseLog();
    assertThat(script.paused(1, 0, 0).steps()).last().asString().contains("deleted or moved");
  }

  @Test
  void aPlanForAnEarlierCutOfItsNameIsRefused() {
    Script script = Script.of(1, P).snapshot("near", 1, 400, 1);
    Effect effect = new Effect(hlc(400), 0, List.of(), List.of(), 0, "");
    RollbackRequest planned = PlannedRollback.of("abc", wish("near"), effect).request();
    assertThat(script.refusal(planned)).isEmpty();
    script.snapshot("near", 2, 500, 1);
    assertThat(script.refusal(planned))
        .isEqualTo(
            "snapshot 'near' was of %s when this was planned and is of %s now: plan again"
                .formatted(iso(400), iso(500)));
  }

  @Test
  void aNodeThatCannotRestoreItsPartHaltsThePlanWhichIsTriedAgainOrAbandoned() {
    Script script = Script.of(2, P).snapshot("old", 1, 200, 2).snapshot("near", 2, 400, 2);
    script.judged(600).wish(wish("near")).paused(1, 0, 550).paused(1, 1, 0);
    script.restored(1, 0, 1);
    assertThat(script.refused(1, 1, 1, "block 3 is damaged").steps())
        .as("an operator's plan goes to no other snapshot")
        .endsWith("1: halt: node 1 could not restore: block 3 is damaged");
    assertThat(script.refusal(1, Intervention.RETRY)).isEmpty();
    assertThat(script.operator(1, Intervention.RETRY).steps())
        .containsExactly("1: retry 1", "1: restore 2 to 400 by near");
    script.refused(1, 1, 2, "block 3 is damaged").steps();
    assertThat(script.operator(1, Intervention.ABANDON).steps())
        .containsExactly("1: abandon 2", "1: keep all 3 to 400");
  }

  @Test
  void oneThatIsAViolationHaltsThePlan() {
    Script script = Script.of(1, P).snapshot("near", 1, 400, 1).judged(600).wish(wish("near"));
    script.paused(1, 0, 550).restored(1, 0, 1).converged(1, 0, 1, "p", 0, 1);
    assertThat(script.steps())
        .endsWith("1: halt: predicate=p clause=0 binding= still holds at " + iso(400));
  }

  @Test
  void aViolationBeforeItsCutMovesTheTargetBackInTheWindowLogs() {
    Script script = Script.of(1, P).snapshot("near", 1, 400, 1).wish(wish("near"));
    script.violation("v1", "p", 100, 300).judged(600).pausedAt(1, 0, 700);
    assertThat(script.steps()).endsWith("1: restore 1 to 300-");
    Script out = Script.of(1, P).snapshot("near", 1, 400, 1).wish(wish("near"));
    out.violation("v1", "p", 100, 300).judged(600).paused(1, 0, 550);
    assertThat(out.steps()).last().asString().startsWith("1: halt: target ").contains("is out of");
  }

  @Test
  void aViolationAfterItsCutIsCovered() {
    Script script = Script.of(1, P).snapshot("near", 1, 400, 1).wish(wish("near"));
    restoredWithoutWish(script.violation("v1", "p", 100, 500).judged(600));
    assertThat(script.state().log().plan()).isNull();
    assertThat(script.state().found().demands()).isEmpty();
  }

  @Test
  void theRecordOfThePlanNamesTheSnapshotAndTheRequest() {
    Script script = Script.of(1, P).snapshot("near", 1, 400, 1).wish(wish("near"));
    var opened = script.control().stream().filter(r -> r.hasPlanOpened()).findFirst().orElseThrow();
    assertThat(opened.getPlanOpened().getRequest()).isEqualTo("by-hand");
    assertThat(opened.getPlanOpened().getReason()).isEqualTo("by hand, to snapshot near");
    assertThat(Rollback.opened(opened).snapshot()).isEqualTo("near");
  }

  private static Script restored(Script script, String snapshot) {
    return restoredWithoutWish(script.wish(wish(snapshot)));
  }

  private static Script restoredWithoutWish(Script script) {
    return paused(script, 0, 550).restoredFrom(1, 0, 1, 701).convergedAt(1, 0, 1, 900);
  }

  /** Paused at 700, with a window-log from {@code reach} on. */
  private static Script paused(Script script, int node, long reach) {
    Paused.Builder paused = Paused.newBuilder().setNode(node).setReach(hlc(reach));
    return script.log(script.record(1).setPaused(paused.setQuietSince(hlc(700))));
  }

  private static Script opened(Script script, String id, long number) {
    SnapshotRef ref = SnapshotRef.newBuilder().setId(id).setNumber(number).build();
    SnapshotOpened.Builder opened = SnapshotOpened.newBuilder().setSnapshot(ref);
    return script.log(script.record(0).setSnapshot(SnapshotStep.newBuilder().setOpened(opened)));
  }

  private static PastPlan past(Script script) {
    return Objects.requireNonNull(script.state().log().plans().pastPlan(1));
  }

  private static RollbackRequest wish(String snapshot) {
    return RollbackRequest.toSnapshot("by-hand", snapshot);
  }

  private static long hlc(long micros) {
    return Hlc.ofMicros(micros);
  }
}
