package io.palinode.orchestrator;

import io.palinode.orchestrator.policy.Policy;
import io.palinode.predicate.OnViolation.Approval;
import io.palinode.predicate.OnViolation.Budget;
import io.palinode.wire.v1.ViolationGrade;
import java.time.Duration;

/** Policies with a budget of two rollbacks in ten seconds, or with approval. */
class GatesFixture {
  static final long PER = 10_000_000;
  static final Policy LIMITED =
      Policies.gated("p", new Budget(2, Duration.ofSeconds(10)), Approval.AUTOMATIC);
  static final Policy APPROVED = Policies.gated("p", null, Approval.REQUIRED);
  static final Policy FREE = Policies.beforeViolation("q");

  static void violation(Script script, String predicate, long at, long epoch) {
    script.violation(predicate + "@" + at, predicate, at, at, epoch, ViolationGrade.POSSIBLE);
  }
}
