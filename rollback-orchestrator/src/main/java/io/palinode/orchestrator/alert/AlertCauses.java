package io.palinode.orchestrator.alert;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.Alert;
import io.palinode.orchestrator.Outcomes;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.orchestrator.RollbackMachine;
import io.palinode.orchestrator.health.Judgement;
import io.palinode.orchestrator.history.ApiHistory;
import io.palinode.orchestrator.history.ViolationAlert;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.plan.ServingNodes;
import io.palinode.orchestrator.state.MachineState;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * When the causes of the orchestrator's alerts end, by its present state. Thread-safe. Alerts of
 * clocks and disks are ended by the nodes' reports.
 */
public record AlertCauses(
    Supplier<MachineState> state, ApiHistory history, Supplier<Judgement> judgement)
    implements OpenAlerts.Causes {
  /**
   * Alerts about violations that an earlier run read and that hold now, and about coverage gaps.
   * The start of this run raises the others again.
   */
  @Override
  public List<Alert> earlier() {
    MachineState now = state.get();
    List<Alert> earlier = new ArrayList<>(RollbackMachine.gapAlerts(now));
    for (ReceivedViolation received : history.violations(ApiHistory.KEPT_MAX)) {
      Alert alert = received.replayed() ? Outcomes.alert(now, received) : null;
      if (alert != null) {
        earlier.add(ViolationAlert.of(alert, received));
      }
    }
    return earlier;
  }

  @Override
  public long endMicros(Alert alert, long nowMicros) {
    if (alert.kind() == Alert.Kind.VIOLATION) {
      return violationEnd(alert, nowMicros);
    }
    return lasts(alert) ? 0 : nowMicros;
  }

  /** A violation that was forgotten, or that is a phantom, ends now. */
  private long violationEnd(Alert alert, long nowMicros) {
    ReceivedViolation known = history.episode(label(alert, ViolationAlert.EPISODE));
    if (known == null || known.phantom()) {
      return nowMicros;
    }
    long ended = known.asOf(state.get()).ended();
    return ended == 0 ? 0 : Math.max(1, Hlc.micros(ended));
  }

  private boolean lasts(Alert alert) {
    MachineState now = state.get();
    Plan plan = now.log().plan();
    boolean isPlans = plan != null && label(alert, "epoch").equals(Long.toString(plan.epoch()));
    return switch (alert.kind()) {
      case PLAN_HALTED -> isPlans && !Objects.requireNonNull(plan).failure().isEmpty();
      case PLAN_WAITS ->
          isPlans
              ? label(alert, "phase").equals(Objects.requireNonNull(plan).phase().name())
              : isResuming(now, alert);
      case APPROVAL_NEEDED ->
          now.log().gates().requests().stream()
              .anyMatch(request -> label(alert, "request").equals(Long.toString(request.number())));
      case COVERAGE_LOST -> now.unacknowledgedGaps() > 0;
      case CONTROL_WRITE_FAILED -> now.outbox().unwritten() != null;
      case JUDGEMENT_WAITS -> isWaited(alert);
      default -> true;
    };
  }

  private static boolean isResuming(MachineState now, Alert alert) {
    ServingNodes serving = now.log().plans().serving();
    return label(alert, "epoch").equals(Long.toString(serving.epoch()))
        && !serving.missing().isEmpty();
  }

  private boolean isWaited(Alert alert) {
    return judgement.get().waits().stream()
        .anyMatch(
            wait ->
                wait.reason().label().equals(label(alert, "reason"))
                    && Objects.toString(wait.node(), "").equals(label(alert, "node")));
  }

  private static String label(Alert alert, String name) {
    return alert.labels().getOrDefault(name, "");
  }
}
