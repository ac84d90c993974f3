package io.palinode.store.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.store.affected.Affected;
import io.palinode.store.affected.Extent;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.wire.v1.Abandon;
import io.palinode.wire.v1.AccessKind;
import io.palinode.wire.v1.Accessed;
import io.palinode.wire.v1.Cancel;
import io.palinode.wire.v1.ClientAccesses;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converge;
import io.palinode.wire.v1.Converged;
import io.palinode.wire.v1.Halted;
import io.palinode.wire.v1.Moment;
import io.palinode.wire.v1.Pause;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Restored;
import io.palinode.wire.v1.Resume;
import io.palinode.wire.v1.SafePoint;
import io.palinode.wire.v1.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The commands of a node that has read the log at its start. */
class NodeStartTest extends NodeControlFixture {
  @Test
  void aPlanThatIsCancelledBeforeItsFirstRestoreOnlyKeeps() {
    List<ControlRecord> log = new ArrayList<>();
    log.add(step(1).setPlanOpened(PlanOpened.getDefaultInstance()).build());
    log.add(step(1).setCancel(Cancel.getDefaultInstance()).build());
    assertThat(commandsAtStart(log, 5))
        .as("the pause is still to come")
        .contains(new Command.Serve(0, 0, 0, MissedEpochs.NONE, List.of()));
    log.add(step(1).setPause(Pause.getDefaultInstance()).build());
    log.add(step(1).setRestore(Restore.newBuilder().setAttempt(1).setTarget(9)).build());
    assertThat(commandsAtStart(log, 5)).doesNotContain(new Command.Restore(1, 1, 9, 0));
    log.add(
        step(1).setRestore(Restore.newBuilder().setAttempt(1).setTarget(9).setKeep(true)).build());
    Restore kept = log.get(log.size() - 1).getRestore();
    assertThat(commandsAtStart(log, 5)).contains(new Command.Keep(1, kept));
  }

  @Test
  void aCancelAfterTheFirstRestoreChangesNothing() {
    List<ControlRecord> log = new ArrayList<>();
    log.add(step(1).setPlanOpened(PlanOpened.getDefaultInstance()).build());
    log.add(step(1).setPause(Pause.getDefaultInstance()).build());
    log.add(step(1).setRestore(Restore.newBuilder().setAttempt(1).setTarget(9).setPast(7)).build());
    log.add(step(1).setCancel(Cancel.getDefaultInstance()).build());
    assertThat(commandsAtStart(log, 5)).contains(new Command.Restore(1, 1, 9, 7));
  }

  @Test
  void aNodeThatStartsInAPlanPausesBeforeItJoinsAndServesNothing() {
    List<ControlRecord> log =
        List.of(
            step(1).setPlanOpened(PlanOpened.getDefaultInstance()).build(),
            step(1).setPause(Pause.getDefaultInstance()).build(),
            paused(0, 4));
    assertThat(commandsAtStart(log, 5))
        .containsExactly(new Command.Pause(1), new Command.Watch(0, 0), new Command.Join(0));
  }

  @Test
  void aPlanThatHasNotPausedYetLeavesNodesServing() {
    List<ControlRecord> log =
        List.of(step(1).setPlanOpened(PlanOpened.getDefaultInstance()).build());
    assertThat(commandsAtStart(log, 5))
        .containsExactly(
            new Command.Watch(0, 0),
            new Command.Serve(0, 0, 0, MissedEpochs.NONE, List.of()),
            new Command.Join(0));
  }

  @Test
  void aDutyAcknowledgedByAnEarlierIncarnationIsNotRepeated() {
    List<ControlRecord> log = new ArrayList<>();
    log.add(step(1).setPlanOpened(PlanOpened.getDefaultInstance()).build());
    log.add(step(1).setPause(Pause.getDefaultInstance()).build());
    log.add(step(1).setRestore(Restore.newBuilder().setAttempt(1).setTarget(9)).build());
    log.add(
        step(1).setRestored(Restored.newBuilder().setNode(0).setAttempt(1)).build()); // Not last.
    assertThat(commandsAtStart(log, 5))
        .containsExactly(
            new Command.Pause(1),
            new Command.Watch(0, 0),
            new Command.Join(0),
            new Command.Restore(1, 1, 9, 0));
    log.add(
        step(1).setRestored(Restored.newBuilder().setNode(0).setAttempt(1).setLast(true)).build());
    assertThat(commandsAtStart(log, 5))
        .containsExactly(new Command.Pause(1), new Command.Watch(0, 0), new Command.Join(0));
  }

  @Test
  void aNodeThatStartsAfterItHasConvergedPublishesNothingInTheOldEpoch() {
    List<ControlRecord> log = new ArrayList<>();
    log.add(step(1).setPlanOpened(PlanOpened.getDefaultInstance()).build());
    log.add(step(1).setPause(Pause.getDefaultInstance()).build());
    log.add(step(1).setRestore(Restore.newBuilder().setAttempt(1).setTarget(9)).build());
    for (int node = 0; node < NODES; node++) {
      log.add(restored(node));
    }
    log.add(converge(1));
    for (int node = 0; node < NODES; node++) {
      log.add(contributed(node));
    }
    log.add(
        step(1)
            .setConverged(Converged.newBuilder().setNode(0).setAttempt(1).setLast(true))
            .build());
    assertThat(commandsAtStart(log, 5)).containsExactly(new Command.Pause(1), new Command.Join(0));
    // A second attempt: the old epoch may be asked for once more.
    log.add(step(1).setRestore(Restore.newBuilder().setAttempt(2).setTarget(8)).build());
    assertThat(commandsAtStart(log, 5))
        .containsExactly(
            new Command.Pause(1),
            new Command.Watch(0, 0),
            new Command.Join(0),
            new Command.Restore(1, 2, 8, 0));
  }

  @Test
  void aPartialRestoreWaitsForTheAccessesOfAllNodes() {
    Restore asked =
        Restore.newBuilder()
            .setAttempt(1)
            .setTarget(9)
            .setAffected(
                Scope.newBuilder()
                    .addWitnesses(Moment.newBuilder().setHlc(10))
                    .setClientsMax(1)
                    .setPercentMax(100))
            .build();
    List<ControlRecord> log = new ArrayList<>();
    log.add(step(1).setPlanOpened(PlanOpened.getDefaultInstance()).build());
    log.add(step(1).setPause(Pause.getDefaultInstance()).build());
    log.add(step(1).setRestore(asked).build());
    assertThat(commandsAtStart(log, 5)).contains(new Command.TellAccesses(1, asked));
    log.add(accessed(0, 10, true));
    log.add(accessed(1, 0, false));
    log.add(accessed(2, 0, true));
    assertThat(commandsAtStart(log, 5))
        .containsExactly(new Command.Pause(1), new Command.Watch(0, 0), new Command.Join(0));
    log.add(accessed(1, 0, true));
    Extent extent = new Affected(Map.of(7L, 9L), Map.of("c", 9L));
    assertThat(commandsAtStart(log, 5)).contains(new Command.RestoreSome(1, asked, extent));
    log.add(step(1).setAccessed(Accessed.newBuilder().setAttempt(1).setTooMany(9)).build());
    assertThat(commandsAtStart(log, 5))
        .as("a later acknowledgement changes nothing")
        .contains(new Command.RestoreSome(1, asked, extent));
  }

  @Test
  void anAttemptThatKeepsOrComparesAllKeysIsNotPartial() {
    Scope scope = Scope.getDefaultInstance();
    Restore keep = Restore.newBuilder().setAttempt(1).setAffected(scope).setKeep(true).build();
    Restore whole = Restore.newBuilder().setAttempt(1).setAffected(scope).setWhole(true).build();
    assertThat(Attempt.of(keep).isOfSome()).isFalse();
    assertThat(Attempt.of(whole).isOfSome()).isFalse();
    assertThat(Attempt.of(keep).extent()).isNull();
  }

  /** If {@code writtenAt} is not 0, client c wrote key 7 then. */
  private static ControlRecord accessed(int node, long writtenAt, boolean last) {
    Accessed.Builder accessed = Accessed.newBuilder().setNode(node).setAttempt(1).setLast(last);
    if (writtenAt > 0) {
      accessed.addClients(
          ClientAccesses.newBuilder()
              .setClient("c")
              .addKinds(AccessKind.ACCESS_KIND_WRITE)
              .addHlcs(writtenAt)
              .addKeys(7)
              .addWrites(8));
    }
    return step(1).setAccessed(accessed).build();
  }

  @Test
  void aNodeJoinsAlsoWhenTheLogNamesItsIncarnationFromBefore() {
    assertThat(commandsAtStart(List.of(joined(0, 5)), 5)).contains(new Command.Join(0));
  }

  @Test
  void aServingNodeReceivesTheEpochsBeforeTheSafePoint() {
    List<ControlRecord> log = new ArrayList<>();
    log.add(step(0).setSafePoint(SafePoint.newBuilder().setHlc(100)).build());
    plan(log, 1, 60);
    plan(log, 2, 120);
    log.add(step(2).setSafePoint(SafePoint.newBuilder().setHlc(150)).build());
    plan(log, 3, 140);
    plan(log, 4, 150);
    assertThat(commandsAtStart(log, 1))
        .contains(new Command.Serve(4, 150, 0, new MissedEpochs(0, 3, 60), List.of()));
  }

  /** Clients forget their writes after the target; the writes before an abandoned plan stand. */
  @Test
  void theEpochOfAnAbandonedPlanStatesThatAllStands() {
    Restore.Builder keep = Restore.newBuilder().setAttempt(1).setTarget(9).setKeep(true);
    assertThat(served(keep)).contains(new Command.Serve(1, 70, 0, MissedEpochs.NONE, List.of()));
    Restore.Builder undoes = keep.clone().setKeep(false);
    assertThat(served(undoes, keep.clone().setAttempt(2)))
        .as("the first attempt may have undone writes that stay undone")
        .contains(new Command.Serve(1, 9, 0, MissedEpochs.NONE, List.of()));
    assertThat(served(undoes)).contains(new Command.Serve(1, 9, 0, MissedEpochs.NONE, List.of()));
  }

  private static List<Command> served(Restore.Builder... attempts) {
    List<ControlRecord> log = new ArrayList<>();
    log.add(step(1).setPlanOpened(PlanOpened.getDefaultInstance()).build());
    log.add(step(1).setPause(Pause.getDefaultInstance()).build());
    for (Restore.Builder restore : attempts) {
      if (restore.getKeep() && restore.getAttempt() > 1) {
        log.add(step(1).setHalted(Halted.getDefaultInstance()).build());
        log.add(step(1).setAbandon(Abandon.newBuilder().setHalt(1)).build());
      } else if (restore.getKeep()) {
        log.add(step(1).setCancel(Cancel.getDefaultInstance()).build());
      }
      log.add(step(1).setRestore(restore).build());
      Converge.Builder converge = Converge.newBuilder().setAttempt(restore.getAttempt());
      log.add(step(1).setConverge(converge).build());
    }
    log.add(step(1).setResume(Resume.newBuilder().setTarget(9).setClock(70)).build());
    return commandsAtStart(log, 5);
  }

  private static void plan(List<ControlRecord> log, long epoch, long target) {
    log.add(step(epoch).setPlanOpened(PlanOpened.getDefaultInstance()).build());
    log.add(step(epoch).setPause(Pause.getDefaultInstance()).build());
    log.add(step(epoch).setRestore(Restore.newBuilder().setAttempt(1)).build());
    log.add(step(epoch).setConverge(Converge.newBuilder().setAttempt(1)).build());
    log.add(step(epoch).setResume(Resume.newBuilder().setTarget(target)).build());
  }

  private static List<Command> commandsAtStart(List<ControlRecord> log, long incarnation) {
    ControlState state = NodeControl.initial(0, NODES, incarnation);
    for (ControlRecord record : log) {
      state = NodeControl.step(state, record).next();
    }
    return NodeControl.caughtUp(state).commands();
  }
}
