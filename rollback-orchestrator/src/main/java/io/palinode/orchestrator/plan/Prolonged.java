package io.palinode.orchestrator.plan;

import io.palinode.orchestrator.policy.Policy;
import io.palinode.predicate.template.Binding;
import io.palinode.wire.v1.AtKey;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds an interval that continues after an undo beside a key that has changed since. Pure. Such a
 * pair may be a violation that the monitor never publishes (ADR 0020).
 */
public final class Prolonged {
  /** Beyond this number of pairs, such a pair is assumed. */
  private static final long PAIRS_MAX = 1_000_000;

  private Prolonged() {}

  /**
   * Returns an interval that continues beside a changed key of its instance, or null. Only current
   * versions of predicates that ask for rollback count.
   */
  public static @Nullable AtKey first(AffectedReports affected, Map<String, Policy> policies) {
    List<AtKey> back = counting(affected.back(), policies);
    List<AtKey> stood = counting(affected.stood(), policies);
    boolean tooMany = (long) back.size() * stood.size() > PAIRS_MAX;
    for (AtKey continuing : back) {
      if (tooMany || stood.stream().anyMatch(changed -> isBeside(continuing, changed))) {
        return continuing;
      }
    }
    return null;
  }

  private static List<AtKey> counting(List<AtKey> reports, Map<String, Policy> policies) {
    return reports.stream().distinct().filter(each -> counts(each, policies)).toList();
  }

  private static boolean counts(AtKey report, Map<String, Policy> policies) {
    Policy policy = policies.get(report.getPredicate());
    return policy != null && policy.rollsBack() && policy.version() == report.getPredicateVersion();
  }

  private static boolean isBeside(AtKey continuing, AtKey changed) {
    // Key 0 stands for any key.
    boolean mayBeOther =
        continuing.getKey() != changed.getKey()
            || continuing.getKey() == 0
            || changed.getKey() == 0;
    return mayBeOther
        && continuing.getPredicate().equals(changed.getPredicate())
        && Binding.parse(continuing.getBinding()).join(Binding.parse(changed.getBinding())) != null;
  }
}
