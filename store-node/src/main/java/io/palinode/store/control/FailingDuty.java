package io.palinode.store.control;

import io.palinode.wire.plan.Phase;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.DutyFailed;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The duty of an open plan that fails at this node, and since when. For one thread.
 *
 * <p>The node tries again until the plan asks something else of it. An unreachable control log may
 * pass, so only a duty that fails for {@link #ANSWERED_AFTER} is answered. If the disk is full, the
 * node waits for {@link #FULL_DISK_MAX}: then the plan continues by itself once there is room.
 */
public final class FailingDuty {
  public static final Duration ANSWERED_AFTER = Duration.ofSeconds(10);
  public static final Duration FULL_DISK_MAX = Duration.ofMinutes(10);
  private static final int REASON_CHARS_MAX = 500;

  /** A duty, in one attempt of a plan, between two halts. */
  private record Key(long epoch, int attempt, int halts, String duty) {}

  private final long answeredAfterMicros;
  private @Nullable Key failing;
  private long sinceMicros;
  private boolean answered;

  public FailingDuty(Duration answeredAfter) {
    this.answeredAfterMicros = answeredAfter.toNanos() / 1_000;
  }

  /**
   * The answer that the node owes after one more failure; null: none yet, none again, or no plan
   * waits for the duty.
   *
   * @param isFull whether the disk is full
   * @param nowMicros of a clock that never goes back
   */
  public @Nullable ControlRecord failed(
      ControlState state, Command command, String reason, boolean isFull, long nowMicros) {
    Plan plan = state.plan();
    if (plan == null || !plan.isFenced() || plan.phase() == Phase.HALTED) {
      succeeded();
      return null;
    }
    int attempt = plan.attempt() == null ? 0 : plan.attempt().number();
    String duty = command.getClass().getSimpleName();
    Key key = new Key(plan.epoch(), attempt, plan.steps().halts(), duty);
    if (!key.equals(failing)) {
      failing = key;
      sinceMicros = nowMicros;
      answered = false;
    }
    long patience = isFull ? FULL_DISK_MAX.toNanos() / 1_000 : answeredAfterMicros;
    if (answered || nowMicros - sinceMicros < patience) {
      return null;
    }
    DutyFailed.Builder failed =
        DutyFailed.newBuilder()
            .setNode(state.node())
            .setAttempt(attempt)
            .setHalts(plan.steps().halts())
            .setDuty(duty)
            .setReason(reason.substring(0, Math.min(reason.length(), REASON_CHARS_MAX)));
    return ControlRecord.newBuilder().setEpoch(plan.epoch()).setDutyFailed(failed).build();
  }

  /** The control log has the answer. */
  public void answered() {
    answered = true;
  }

  /** All that the node owed is done. */
  public void succeeded() {
    failing = null;
    answered = false;
  }
}
