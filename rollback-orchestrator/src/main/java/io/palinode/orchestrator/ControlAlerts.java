package io.palinode.orchestrator;

import io.palinode.orchestrator.plan.PastPlan;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.violations.ApprovalRequest;
import io.palinode.orchestrator.violations.SequentialSpan;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.GateStep;
import io.palinode.wire.v1.LetStand;
import java.util.ArrayList;
import java.util.List;

/** The alerts that a record of the control log raises. Pure. */
final class ControlAlerts {
  private final MachineState state;
  private final List<Alert> alerts = new ArrayList<>();

  private ControlAlerts(MachineState state) {
    this.state = state;
  }

  /** The alerts, after {@code record} changed {@code before} to the log of {@code state}. */
  static List<Alert> after(ControlLogState before, ControlRecord record, MachineState state) {
    ControlAlerts of = new ControlAlerts(state);
    if (record.hasHalted() && !record.getHalted().hasThen()) {
      of.halted();
    } else if (record.hasResume()) {
      of.resumed(before, record);
    } else if (record.hasGate()) {
      of.gate(record.getGate());
    }
    return of.alerts;
  }

  private void halted() {
    Plan plan = state.log().plan();
    if (plan != null) {
      alerts.add(Alerts.planHalted(plan, state.nowMicros()));
    }
  }

  private void resumed(ControlLogState before, ControlRecord record) {
    PastPlan ended = state.log().plans().pastPlan(record.getEpoch());
    if (ended != null && ended.restarted()) {
      alerts.add(Alerts.planRestarted(ended, state.nowMicros()));
    }
    if (ended != null && ended.keptAll()) {
      givenUp(before, ended);
    }
    List<SequentialSpan> entered =
        state.log().frequent().sequential().stream()
            .filter(s -> s.sinceMicros() == record.getAtMicros())
            .toList();
    if (!entered.isEmpty()) {
      alerts.add(Alerts.sequential(entered, state.nowMicros()));
    }
  }

  /** Approval requests that a plan without a restore has closed. */
  private void givenUp(ControlLogState before, PastPlan ended) {
    List<ApprovalRequest> left = state.log().gates().requests();
    before.gates().requests().stream()
        .filter(request -> !left.contains(request))
        .map(request -> Alerts.approvalGivenUp(request, ended, state.nowMicros()))
        .forEach(alerts::add);
  }

  private void gate(GateStep step) {
    LetStand stands = step.getLetStand();
    if (step.hasAsked()) {
      ApprovalRequest request = state.log().gates().request(step.getAsked().getPredicate());
      if (request != null && request.askedMicros() == request.recordedMicros()) {
        alerts.add(Alerts.approvalNeeded(request, state.nowMicros()));
      }
    } else if (step.hasLetStand() && stands.getHeld()) {
      alerts.add(Alerts.stands(stands, state.nowMicros()));
    } else if (step.hasLetStand() && stands.getRejects() == 0) {
      alerts.add(Alerts.budgetSpent(stands, state.nowMicros()));
    }
  }
}
