package io.palinode.store.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.wire.v1.Abandon;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converge;
import io.palinode.wire.v1.DutyFailed;
import io.palinode.wire.v1.Halted;
import io.palinode.wire.v1.Pause;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Restored;
import io.palinode.wire.v1.Resume;
import io.palinode.wire.v1.Retry;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class FailingDutyTest {
  private static final long SECOND = 1_000_000;
  private static final Command PAUSE = new Command.Pause(1);
  private static final Command RESTORE = new Command.Restore(1, 1, 7, 0);

  private final FailingDuty failing = new FailingDuty(FailingDuty.ANSWERED_AFTER);
  private ControlState state = NodeControl.initial(1, 2, 1);

  @Test
  void aDutyThatFailsForTenSecondsIsAnsweredOnce() {
    log(opened(), paused());
    assertThat(failing.failed(state, PAUSE, "disk full", false, 5 * SECOND)).isNull();
    assertThat(failing.failed(state, PAUSE, "disk full", false, 14 * SECOND)).isNull();
    ControlRecord answer = answer(state, PAUSE, "disk full", 15 * SECOND);
    assertThat(answer.getEpoch()).isEqualTo(1);
    assertThat(answer.getDutyFailed())
        .isEqualTo(
            DutyFailed.newBuilder().setNode(1).setDuty("Pause").setReason("disk full").build());
    assertThat(failing.failed(state, PAUSE, "disk full", false, 16 * SECOND))
        .as("until the log has it")
        .isNotNull();
    failing.answered();
    assertThat(failing.failed(state, PAUSE, "disk full", false, 17 * SECOND)).isNull();
  }

  @Test
  void aFullDiskHasTenMinutes() {
    log(opened(), paused());
    assertThat(failing.failed(state, PAUSE, "disk full", true, 0)).isNull();
    assertThat(failing.failed(state, PAUSE, "disk full", true, 599 * SECOND)).isNull();
    assertThat(failing.failed(state, PAUSE, "disk full", true, 600 * SECOND)).isNotNull();
  }

  @Test
  void theTimeBeginsAgainWithASuccessAnotherDutyOrARetry() {
    log(opened(), paused());
    failing.failed(state, PAUSE, "", false, 0);
    failing.succeeded();
    assertThat(failing.failed(state, PAUSE, "", false, 10 * SECOND)).isNull();
    log(restore(Restore.newBuilder().setAttempt(1)));
    assertThat(failing.failed(state, RESTORE, "", false, 20 * SECOND)).isNull();
    ControlRecord answer = answer(state, RESTORE, "", 30 * SECOND);
    assertThat(answer.getDutyFailed().getAttempt()).isEqualTo(1);
    failing.answered();
    log(halted(), step().setRetry(Retry.newBuilder().setHalt(1)).build());
    assertThat(failing.failed(state, PAUSE, "", false, 40 * SECOND)).isNull();
    ControlRecord again = answer(state, PAUSE, "", 50 * SECOND);
    assertThat(again.getDutyFailed().getHalts()).isEqualTo(1);
  }

  @Test
  void noPlanWaitsForADutyWithoutAPlanOrOfAHaltedOne() {
    failing.failed(state, PAUSE, "", false, 0);
    assertThat(failing.failed(state, PAUSE, "", false, 60 * SECOND)).isNull();
    log(opened(), paused(), halted());
    failing.failed(state, PAUSE, "", false, 70 * SECOND);
    assertThat(failing.failed(state, PAUSE, "", false, 90 * SECOND)).isNull();
  }

  @Test
  void aReasonIsCutAtFiveHundredCharacters() {
    log(opened(), paused());
    failing.failed(state, PAUSE, "", false, 0);
    ControlRecord answer = answer(state, PAUSE, "x".repeat(600), 10 * SECOND);
    assertThat(answer.getDutyFailed().getReason()).hasSize(500);
  }

  /** The plan ends also where the node could do nothing of what was asked before. */
  @Test
  void aPlanThatEndsAsItIsAsksOnlyForTheClock() {
    List<Command> commands = endingAsIs();
    assertThat(commands).containsExactly(new Command.LeaveAsIs(1, 1));
    log(answered(1));
    log(step().setConverge(Converge.newBuilder().setAttempt(1)).build());
    assertThat(NodeControl.retry(state).commands()).as("nothing is exchanged").isEmpty();
    log(step().setResume(Resume.newBuilder().setAttempt(1).setClock(9).setAsIs(true)).build());
    assertThat(state.epoch()).isEqualTo(1);
    assertThat(NodeControl.retry(state).commands())
        .hasAtLeastOneElementOfType(Command.Watch.class)
        .hasAtLeastOneElementOfType(Command.Serve.class);
  }

  @Test
  void aRestoreThatWasDecidedBeforeTheLastWordChangesNothing() {
    log(opened(), paused(), halted(), abandon(true));
    ControlState before = state;
    log(restore(Restore.newBuilder().setAttempt(1).setKeep(true)));
    assertThat(state).isEqualTo(before);
    log(restore(Restore.newBuilder().setAttempt(1).setKeep(true).setAsIs(true)));
    assertThat(state).isNotEqualTo(before);
  }

  private ControlRecord answer(ControlState now, Command command, String reason, long nowMicros) {
    return Objects.requireNonNull(failing.failed(now, command, reason, false, nowMicros));
  }

  private List<Command> endingAsIs() {
    log(opened(), paused(), ownPause(), halted(), abandon(true));
    state = NodeControl.caughtUp(state).next();
    log(joined());
    return log(restore(Restore.newBuilder().setAttempt(1).setKeep(true).setAsIs(true)));
  }

  private List<Command> log(ControlRecord... records) {
    List<Command> commands = new ArrayList<>();
    for (ControlRecord record : records) {
      NodeControl.Step step = NodeControl.step(state, record);
      state = step.next();
      commands.addAll(step.commands());
    }
    return commands;
  }

  private static ControlRecord opened() {
    return step().setPlanOpened(PlanOpened.getDefaultInstance()).build();
  }

  private static ControlRecord paused() {
    return step().setPause(Pause.getDefaultInstance()).build();
  }

  private static ControlRecord ownPause() {
    return step()
        .setPaused(io.palinode.wire.v1.Paused.newBuilder().setNode(1).setIncarnation(1))
        .build();
  }

  private static ControlRecord joined() {
    return step()
        .setNodeJoined(io.palinode.wire.v1.NodeJoined.newBuilder().setNode(1).setIncarnation(1))
        .build();
  }

  private static ControlRecord halted() {
    return step().setHalted(Halted.getDefaultInstance()).build();
  }

  private static ControlRecord abandon(boolean asIs) {
    return step().setAbandon(Abandon.newBuilder().setHalt(1).setAsIs(asIs)).build();
  }

  private static ControlRecord restore(Restore.Builder restore) {
    return step().setRestore(restore).build();
  }

  private static ControlRecord answered(int attempt) {
    return step()
        .setRestored(Restored.newBuilder().setNode(1).setAttempt(attempt).setLast(true))
        .build();
  }

  private static ControlRecord.Builder step() {
    return ControlRecord.newBuilder().setEpoch(1);
  }
}
