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
 * What stands between violations and rollbacks now, for people.
 *
 * @param approvals what waits for an operator, oldest first
 * @param budgets of all predicates that have one, by name
 */
public record GateStatus(List<Waiting> approvals, List<Account> budgets) {
  public static final GateStatus OPEN = new GateStatus(List.of(), List.of());

  public GateStatus {
    approvals = List.copyOf(approvals);
    budgets = List.copyOf(budgets);
  }

  /**
   * @param violations that are known to wait, at most {@link Demand#IDS_MAX} are counted
   * @param target where an approved rollback would go by now
   */
  public record Waiting(ApprovalRequest request, int violations, long target) {}

  /**
   * @param spent rollbacks that count now
   * @param standsUntilMicros until then violations stand, wall clock; 0: they do not
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
