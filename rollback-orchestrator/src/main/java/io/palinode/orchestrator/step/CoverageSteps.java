package io.palinode.orchestrator.step;

import io.palinode.orchestrator.policy.RollbackSettings;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.violations.Coverage;
import io.palinode.wire.v1.AbandonReported;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.CoverageStep;
import io.palinode.wire.v1.GapsAcknowledged;
import io.palinode.wire.v1.GapsFound;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The records about coverage gaps, as functions of the state alone. */
public final class CoverageSteps {
  public static final int GAPS_PER_RECORD_MAX = 100;

  private CoverageSteps() {}

  /**
   * Whether the control log holds a gap that was just read from the violations log. During a
   * replay, it holds all gaps before the first {@code Judged} that the safe point relies on: the
   * orchestrator that published the safe point had appended them.
   */
  public static boolean isRecorded(MachineState state, CoverageLost loss) {
    Coverage coverage = state.log().coverage();
    boolean wasRead =
        !state.live() && coverage.found() > 0 && state.found().judged() < state.log().safePoint();
    return wasRead || coverage.holds(loss);
  }

  /** The next record about coverage; null: none. */
  public static @Nullable ControlRecord next(MachineState state) {
    List<CoverageLost> gaps = state.found().unrecorded();
    if (!gaps.isEmpty()) {
      long until = state.nowMicros() + RollbackSettings.micros(state.settings().coverageHold());
      GapsFound found =
          GapsFound.newBuilder()
              .addAllGaps(gaps.subList(0, Math.min(gaps.size(), GAPS_PER_RECORD_MAX)))
              .setHeldUntilMicros(until)
              .build();
      return record(state, CoverageStep.newBuilder().setFound(found));
    }
    long reported = state.found().reportedEpoch();
    return reported <= state.log().coverage().reportedEpoch()
        ? null
        : record(
            state,
            CoverageStep.newBuilder()
                .setAbandonReported(AbandonReported.newBuilder().setEpoch(reported)));
  }

  /**
   * An operator's acknowledgement of all gaps up to this number, and of abandoned plans.
   *
   * @throws RefusedException if there is no gap to acknowledge, or some are not in the log yet
   */
  public static ControlRecord acknowledging(MachineState state, long toNumber)
      throws RefusedException {
    Coverage coverage = state.log().coverage();
    if (!state.found().unrecorded().isEmpty()) {
      throw new RefusedException(
          "the control log does not hold %d coverage gaps yet; try again"
              .formatted(state.found().unrecorded().size()));
    }
    long epoch = state.log().epoch();
    if (coverage.isAcknowledged(toNumber, epoch)) {
      throw new RefusedException("there is nothing to acknowledge: coverage is complete");
    }
    return record(
        state,
        CoverageStep.newBuilder()
            .setAcknowledged(
                GapsAcknowledged.newBuilder()
                    .setToNumber(Math.min(toNumber, coverage.found()))
                    .setToEpoch(epoch)));
  }

  private static ControlRecord record(MachineState state, CoverageStep.Builder step) {
    return ControlRecord.newBuilder()
        .setEpoch(state.log().epoch())
        .setAtMicros(state.nowMicros())
        .setCoverage(step)
        .build();
  }
}
