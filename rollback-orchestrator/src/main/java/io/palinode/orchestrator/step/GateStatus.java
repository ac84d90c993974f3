package io.palinode.orchestrator.step;

import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.violations.ApprovalRequest;
import io.palinode.orchestrator.violations.Demand;
import io.palinode.predicate.OnViolation.Budget;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The open approval requests and the budgets, for operators. Immutable.
 *
 * @param approvals the requests, oldest first
 * @param budgets of all predicates that have one, ordered by predicate
 */
public record GateStatus(List<Waiting> approvals, List<Account> budgets) {
  public static final GateStatus OPEN = new GateStatus(List.of(), List.of());

  public GateStatus {
    approvals = List.copyOf(approvals);
    budgets = List.copyOf(budgets);
  }

  /**
   * A request that waits for an operator.
   *
   * @param violations its known violations, at most {@link Demand#IDS_MAX}
   * @param target the target of an approved rollback now
   */
  public record Waiting(ApprovalRequest request, int violations, long target) {}

  /**
   * The budget of one predicate.
   *
   * @param spent rollbacks that count now
   * @param standsUntilMicros until when violations stand, wall clock; 0: they open plans
   */
  public record Account(String predicate, Budget budget, int spent, long standsUntilMicros) {}

  public static GateStatus of(MachineState state) {
    List<Waiting> approvals = new ArrayList<>();
    for (ApprovalRequest request : state.log().gates().requests()) {
      Demand waiting = GateAnswer.waiting(state, request);
      approvals.add(new Waiting(request, waiting.ids().size(), waiting.target()));
    }
    List<Account> budgets = new ArrayList<>();
    for (Policy policy : state.policies().values()) {
      Budget budget = policy.budget();
      if (budget != null) {
        long roomAt = Admission.roomAtMicros(state, policy.predicate(), budget);
        int spent = Admission.spent(state, policy.predicate(), budget).size();
        long until = roomAt > state.nowMicros() ? roomAt : 0;
        budgets.add(new Account(policy.predicate(), budget, spent, until));
      }
    }
    budgets.sort(Comparator.comparing(Account::predicate));
    return new GateStatus(approvals, budgets);
  }
}
