package io.palinode.predicate.lint;

import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.OnViolation;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.form.Written;
import io.palinode.predicate.lint.Lint.Check;
import io.palinode.predicate.lint.Lint.Finding;
import java.util.ArrayList;
import java.util.List;

/** What stands in the fields beside the violation. */
final class SettingLint {
  private static final Epsilon EPSILON_USUAL_MAX = Epsilon.ofMicros(1_000_000);

  private SettingLint() {}

  static List<Finding> findings(Written written) {
    List<Finding> findings = new ArrayList<>();
    epsilon(written, findings);
    OnViolation action = written.predicate().onViolation();
    if (action.rollbackTo() != null) {
      rollbackOn(written, findings);
      if (action.rollbacks().whenFrequent() == null) {
        findings.add(
            new Finding(
                Check.ROLLBACK_MAY_FLAP,
                written,
                written.rollback(),
                "what is violated again after each rollback is rolled back without end",
                "say whenFrequent, such as {over: 5, per: 10s, then: sequential}"));
      }
    }
    return findings;
  }

  private static void epsilon(Written written, List<Finding> findings) {
    Epsilon epsilon = written.predicate().epsilon();
    if (epsilon == null || epsilon.isInfinite()) {
      return;
    }
    if (epsilon.micros() == 0) {
      findings.add(
          new Finding(
              Check.EPSILON_ZERO,
              written,
              written.epsilon(),
              "epsilon 0 says that clocks agree to the microsecond; where they do not, violations"
                  + " are missed",
              "say how far clocks may be apart, such as 10ms; or inf; or leave it to the cluster"));
    } else if (epsilon.micros() > EPSILON_USUAL_MAX.micros()) {
      boolean causal = written.predicate().uncertainty() == Uncertainty.CAUSAL;
      findings.add(
          new Finding(
              Check.EPSILON_LARGE,
              written,
              written.epsilon(),
              (causal
                      ? "intervals may have to be kept for %s and longer"
                      : "what is ordered, but closer than %s, counts as concurrent")
                  .formatted(epsilon),
              "say how far clocks may be apart, such as 10ms; inf assumes nothing of them"));
    }
  }

  private static void rollbackOn(Written written, List<Finding> findings) {
    Predicate predicate = written.predicate();
    Grade least = predicate.onViolation().rollbackOn();
    if (least == Grade.DEFINITE) {
      findings.add(
          new Finding(
              Check.ROLLBACK_ON_DEFINITE,
              written,
              written.rollbackOn(),
              "a grade rises to definite mostly after the safe point has passed, and then it is"
                  + " too late to roll back",
              "say rollbackOn: possible"));
    } else if (least == Grade.UNCERTAIN && mayBeUncertain(predicate)) {
      findings.add(
          new Finding(
              Check.ROLLBACK_ON_UNCERTAIN,
              written,
              written.rollbackOn(),
              "a hand-over, one term ending before the next begins, is rolled back too when it"
                  + " takes less than epsilon",
              "say rollbackOn: possible"));
    }
  }

  private static boolean mayBeUncertain(Predicate predicate) {
    Epsilon epsilon = predicate.epsilon();
    return predicate.uncertainty() == Uncertainty.CONSERVATIVE
        && (epsilon == null || (!epsilon.isInfinite() && epsilon.micros() > 0))
        && predicate.violation().stream().anyMatch(clause -> clause.terms().size() > 1);
  }
}
