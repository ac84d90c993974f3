package io.palinode.orchestrator.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converge;
import io.palinode.wire.v1.Pause;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Restored;
import io.palinode.wire.v1.Resume;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The estimate of a pause, in µs. */
class ExpectedPauseTest {
  @Test
  void oneSlowRollbackIsNotTheEstimate() {
    List<Rollback> latest =
        List.of(
            rollback(0, 21_600_000, 3),
            rollback(0, 200_000, 3),
            rollback(0, 900_000, 3),
            rollback(0, 300_000, 3),
            rollback(0, 2_200_000, 3),
            rollback(0, 2_300_000, 3));
    assertThat(ExpectedPause.of(latest).micros(0)).isEqualTo(900_010);
  }

  @Test
  void theWaitForJudgementIsNotPartOfIt() {
    assertThat(ExpectedPause.of(List.of(rollback(5_000_000, 200_000, 3))).micros(0))
        .isEqualTo(200_010);
  }

  @Test
  void aLargeRollbackShowsTheCostOfACopy() {
    ExpectedPause pause =
        ExpectedPause.of(List.of(rollback(7, 100_000, 1_000), rollback(0, 10, 3)));
    assertThat(pause).isEqualTo(new ExpectedPause(10, 100));
  }

  @Test
  void withoutARollbackItIsThatOfAMeasurement() {
    assertThat(ExpectedPause.of(List.of())).isEqualTo(ExpectedPause.DEFAULT);
  }

  /** Its nodes pause for 10 µs. */
  private static Rollback rollback(long judgementMicros, long workMicros, long copies) {
    long restored = 1_010 + judgementMicros;
    Restored ack = Restored.newBuilder().setUndoneWrites(copies).setLast(true).build();
    return Rollback.opened(at(1_000).setPlanOpened(PlanOpened.getDefaultInstance()).build())
        .after(at(1_000).setPause(Pause.getDefaultInstance()).build())
        .after(at(1_010).setPaused(Paused.getDefaultInstance()).build())
        .after(at(restored).setRestore(Restore.newBuilder().setAttempt(1)).build())
        .after(at(restored).setRestored(ack).build())
        .after(at(restored).setConverge(Converge.getDefaultInstance()).build())
        .after(at(restored + workMicros).setResume(Resume.getDefaultInstance()).build());
  }

  private static ControlRecord.Builder at(long micros) {
    return ControlRecord.newBuilder().setEpoch(1).setAtMicros(micros);
  }
}
