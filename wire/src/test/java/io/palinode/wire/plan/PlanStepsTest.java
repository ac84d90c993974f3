package io.palinode.wire.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.wire.v1.Abandon;
import io.palinode.wire.v1.Cancel;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converge;
import io.palinode.wire.v1.Halted;
import io.palinode.wire.v1.Pause;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Restored;
import io.palinode.wire.v1.Resume;
import io.palinode.wire.v1.Retry;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Which records of a plan count as its next step. */
class PlanStepsTest {
  private static final ControlRecord PAUSE = record().setPause(Pause.getDefaultInstance()).build();
  private static final ControlRecord CANCEL =
      record().setCancel(Cancel.getDefaultInstance()).build();

  @Test
  void aPlanPassesItsPhasesInOrder() {
    PlanSteps paused = after(PAUSE);
    assertThat(paused.phase()).isEqualTo(Phase.PAUSING);
    PlanSteps restoring = paused.after(restore(1));
    assertThat(restoring.phase()).isEqualTo(Phase.RESTORING);
    PlanSteps converging = restoring.after(converge(1));
    assertThat(converging.phase()).isEqualTo(Phase.CONVERGING);
    assertThat(converging.isEndedBy(Resume.newBuilder().setAttempt(1).build())).isTrue();
    assertThat(converging.isEndedBy(Resume.newBuilder().setAttempt(2).build())).isFalse();
  }

  @Test
  void aRepeatedStepChangesNothing() {
    List<ControlRecord> steps = List.of(PAUSE, restore(1), converge(1), halted(1, 0), retry(1));
    PlanSteps now = PlanSteps.OPENED;
    for (ControlRecord step : steps) {
      now = now.after(step);
      assertThat(now.after(step)).isSameAs(now);
    }
  }

  @Test
  void aRestoreOutOfPhaseOrOrderDoesNotCount() {
    assertThat(after(restore(1))).isSameAs(PlanSteps.OPENED);
    PlanSteps paused = after(PAUSE);
    assertThat(paused.after(restore(2))).isSameAs(paused);
    PlanSteps restoring = paused.after(restore(1));
    assertThat(restoring.after(restore(2))).as("no node has failed").isSameAs(restoring);
    PlanSteps failed = restoring.after(failure(1));
    assertThat(failed.after(restore(2)).attempt()).isEqualTo(2);
    assertThat(failed.after(restore(2)).failed()).isFalse();
  }

  @Test
  void aHaltAndItsAnswerCountOnce() {
    PlanSteps halted = after(PAUSE, halted(0, 0));
    assertThat(halted.phase()).isEqualTo(Phase.HALTED);
    assertThat(halted.halts()).isEqualTo(1);
    assertThat(halted.after(retry(2))).as("of another halt").isSameAs(halted);
    PlanSteps retried = halted.after(retry(1));
    assertThat(retried.phase()).isEqualTo(Phase.PAUSING);
    assertThat(retried.after(halted(0, 0))).as("from before the retry").isSameAs(retried);
  }

  @Test
  void anAbandonedPlanOnlyKeepsItsData() {
    PlanSteps abandoned = after(PAUSE, halted(0, 0), abandon(1, false));
    assertThat(abandoned.keepsData()).isTrue();
    assertThat(abandoned.after(restore(1))).isSameAs(abandoned);
    assertThat(abandoned.after(keep(1, false)).phase()).isEqualTo(Phase.RESTORING);
    assertThat(abandoned.after(CANCEL)).isSameAs(abandoned);
  }

  @Test
  void aRetryAfterAnAbandonOfARestartRestoresAgain() {
    PlanSteps restarting = after(PAUSE, keep(1, true));
    assertThat(restarting.restarts()).isTrue();
    PlanSteps again =
        restarting.after(halted(1, 0)).after(abandon(1, false)).after(halted(1, 1)).after(retry(2));
    assertThat(again.keepsData()).isFalse();
    assertThat(again.after(restore(2)).phase()).isEqualTo(Phase.RESTORING);
  }

  @Test
  void aCancellationCountsOnceAndBeforeTheFirstRestore() {
    PlanSteps opened = after(CANCEL);
    assertThat(opened.phase()).as("the pause stays due").isEqualTo(Phase.OPENED);
    assertThat(opened.decision().cancelled()).isTrue();
    PlanSteps halted = opened.after(PAUSE).after(halted(0, 0));
    assertThat(halted.after(CANCEL)).as("a second one").isSameAs(halted);
    PlanSteps restoring = after(PAUSE, restore(1));
    assertThat(restoring.after(CANCEL)).isSameAs(restoring);
    assertThat(after(PAUSE, halted(0, 0), CANCEL).phase()).isEqualTo(Phase.PAUSING);
  }

  @Test
  void countersNeverDecreaseForAnyOrderOfRecords() {
    for (long seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      PlanSteps now = PlanSteps.OPENED;
      for (int i = 0; i < 60; i++) {
        PlanSteps next = now.after(any(random, now));
        assertThat(next.attempt()).as("seed=%d", seed).isBetween(now.attempt(), now.attempt() + 1);
        assertThat(next.halts()).as("seed=%d", seed).isBetween(now.halts(), now.halts() + 1);
        assertThat(next.phase() == Phase.OPENED && now.phase() != Phase.OPENED).isFalse();
        now = next;
      }
    }
  }

  private static ControlRecord any(Random random, PlanSteps now) {
    int attempt = now.attempt() + random.nextInt(2);
    int halt = now.halts() + random.nextInt(2);
    List<ControlRecord> some = new ArrayList<>();
    some.add(PAUSE);
    some.add(CANCEL);
    some.add(restore(attempt));
    some.add(keep(attempt, random.nextBoolean()));
    some.add(failure(attempt));
    some.add(converge(attempt));
    some.add(halted(attempt, halt));
    some.add(retry(halt));
    some.add(abandon(halt, random.nextBoolean()));
    return some.get(random.nextInt(some.size()));
  }

  private static PlanSteps after(ControlRecord... records) {
    PlanSteps now = PlanSteps.OPENED;
    for (ControlRecord record : records) {
      now = now.after(record);
    }
    return now;
  }

  private static ControlRecord restore(int attempt) {
    return record().setRestore(Restore.newBuilder().setAttempt(attempt)).build();
  }

  private static ControlRecord keep(int attempt, boolean restart) {
    return record()
        .setRestore(Restore.newBuilder().setAttempt(attempt).setKeep(true).setRestart(restart))
        .build();
  }

  private static ControlRecord failure(int attempt) {
    return record()
        .setRestored(Restored.newBuilder().setAttempt(attempt).setFailure("out of reach"))
        .build();
  }

  private static ControlRecord converge(int attempt) {
    return record().setConverge(Converge.newBuilder().setAttempt(attempt)).build();
  }

  private static ControlRecord halted(int attempt, int before) {
    return record()
        .setHalted(Halted.newBuilder().setAttempt(attempt).setHaltsBefore(before))
        .build();
  }

  private static ControlRecord retry(int halt) {
    return record().setRetry(Retry.newBuilder().setHalt(halt)).build();
  }

  private static ControlRecord abandon(int halt, boolean asIs) {
    return record().setAbandon(Abandon.newBuilder().setHalt(halt).setAsIs(asIs)).build();
  }

  private static ControlRecord.Builder record() {
    return ControlRecord.newBuilder().setEpoch(1);
  }
}
