package io.palinode.orchestrator.plan;

import io.palinode.orchestrator.policy.Policy;
import io.palinode.predicate.template.Binding;
import io.palinode.wire.v1.AtKey;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whether an interval that goes on, for the write that had ended it was undone, may have met
 * another one that began since, by a write that stands: no report tells that (ADR 0024). Pure.
 */
public final class Prolonged {
  /** More pairs are not looked at, and then it is taken for granted. */
  private static final long PAIRS_MAX = 1_000_000;

  private Prolonged() {}

  /**
   * What goes on beside another key of its instance that has changed, or null. Only predicates that
   * ask for rollback count, in their current version.
   */
  public static @Nullable AtKey first(AffectedReports affected, Map<String, Policy> policies) {
    List<AtKey> back = counting(affected.back(), policies);
    List<AtKey> stood = counting(affected.stood(), policies);
    boolean tooMany = (long) back.size() * stood.size() > PAIRS_MAX;
    for (AtKey goesOn : back) {
      if (tooMany || stood.stream().anyMatch(changed -> isBeside(goesOn, changed))) {
        return goesOn;
      }
    }
    return null;
  }

  private static List<AtKey> counting(List<AtKey> told, Map<String, Policy> policies) {
    return told.stream().distinct().filter(each -> counts(each, policies)).toList();
  }

  private static boolean counts(AtKey told, Map<String, Policy> policies) {
    Policy policy = policies.get(told.getPredicate());
    return policy != null && policy.rollsBack() && policy.version() == told.getPredicateVersion();
  }

  private static boolean isBeside(AtKey goesOn, AtKey changed) {
    // Where it is told of no key, it may be any.
    boolean mayBeOther =
        goesOn.getKey() != changed.getKey() || goesOn.getKey() == 0 || changed.getKey() == 0;
    return mayBeOther
        && goesOn.getPredicate().equals(changed.getPredicate())
        && Binding.parse(goesOn.getBinding()).join(Binding.parse(changed.getBinding())) != null;
  }
}
