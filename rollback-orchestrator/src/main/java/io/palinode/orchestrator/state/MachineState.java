package io.palinode.orchestrator.state;

import io.palinode.orchestrator.RollbackMachine;
import io.palinode.orchestrator.plan.PastPlan;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.policy.RollbackSettings;
import io.palinode.orchestrator.violations.FoundViolations;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of {@link RollbackMachine}. Immutable. {@code log}, {@code found} and {@code policies}
 * are rebuilt from the three logs; the rest belongs to this run.
 *
 * @param run what this run has seen and done
 */
public record MachineState(
    RollbackSettings settings,
    ControlLogState log,
    FoundViolations found,
    Map<String, Policy> policies,
    Outbox outbox,
    Run run) {
  /**
   * One run of the machine.
   *
   * @param live false while the logs are replayed; the machine decides nothing then
   * @param nowMicros the latest time of any event
   * @param stallAlertMicros when the wait of the open plan was last alerted
   */
  record Run(boolean live, long nowMicros, long stallAlertMicros) {}

  public static MachineState initial(RollbackSettings settings) {
    return new MachineState(
        settings,
        ControlLogState.empty(settings.nodes()),
        FoundViolations.NONE,
        Map.of(),
        Outbox.EMPTY,
        new Run(false, 0, 0));
  }

  public boolean live() {
    return run.live();
  }

  public long nowMicros() {
    return run.nowMicros();
  }

  public long stallAlertMicros() {
    return run.stallAlertMicros();
  }

  /**
   * The greatest safe point that is published or being written. No automatic rollback discards a
   * write up to it.
   */
  public long safePoint() {
    return Math.max(log.safePoint(), outbox.safePoint());
  }

  /**
   * The newest abandoned plan that is neither acknowledged nor passed by the safe point; or null.
   */
  public @Nullable PastPlan abandoned() {
    PastPlan plan = log.plans().newestAbandoned(log.safePoint());
    return plan == null || plan.epoch() <= log.coverage().acknowledgedEpoch() ? null : plan;
  }

  /**
   * The HLC that the safe point may not pass, because of a coverage gap or an abandoned plan;
   * {@link FoundViolations#NOT_HELD}: no limit.
   */
  public long heldAt() {
    long gapsHoldAt = log.coverage().heldAt(nowMicros());
    return abandoned() == null ? gapsHoldAt : Math.min(safePoint(), gapsHoldAt);
  }

  /** The number of unacknowledged coverage gaps. */
  public long unacknowledgedGaps() {
    return log.coverage().unacknowledgedCount() + found.unrecorded().size();
  }

  public MachineState with(ControlLogState next) {
    return new MachineState(settings, next, found, policies, outbox, run);
  }

  public MachineState with(FoundViolations next) {
    return new MachineState(settings, log, next, policies, outbox, run);
  }

  public MachineState with(Outbox next) {
    return new MachineState(settings, log, found, policies, next, run);
  }

  public MachineState with(Policy policy) {
    Map<String, Policy> more = new HashMap<>(policies);
    more.put(policy.predicate(), policy);
    return with(Collections.unmodifiableMap(more));
  }

  public MachineState with(Map<String, Policy> next) {
    return new MachineState(settings, log, found, next, outbox, run);
  }

  public MachineState at(long micros) {
    return with(new Run(live(), Math.max(nowMicros(), micros), stallAlertMicros()));
  }

  public MachineState goLive() {
    return with(new Run(true, nowMicros(), stallAlertMicros()));
  }

  public MachineState stallAlerted() {
    return with(new Run(live(), nowMicros(), nowMicros()));
  }

  private MachineState with(Run next) {
    return new MachineState(settings, log, found, policies, outbox, next);
  }
}
