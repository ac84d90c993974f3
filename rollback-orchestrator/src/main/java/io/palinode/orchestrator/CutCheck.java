package io.palinode.orchestrator;

import io.palinode.wire.v1.IntervalRef;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Whether a cut, given the terms that hold on it, is free of violations (design: "Verified"). */
final class CutCheck {
  private CutCheck() {}

  /**
   * An instance of a clause whose terms all hold somewhere on the cut, or null if there is none.
   * Only predicates that ask for rollback count, and only in their current version: what an older
   * version says is judged anew after the resume. O(terms that hold).
   */
  static @Nullable String violatedClause(
      List<List<IntervalRef>> holding, Map<String, Policy> policies) {
    Map<Instance, BitSet> termsOf = new HashMap<>();
    for (List<IntervalRef> piece : holding) {
      for (IntervalRef ref : piece) {
        int terms = termsToHold(ref, policies);
        if (terms == 0) {
          continue;
        }
        Instance instance = new Instance(ref.getPredicate(), ref.getClause(), ref.getBinding());
        BitSet held = termsOf.computeIfAbsent(instance, i -> new BitSet());
        held.set(ref.getTerm());
        if (held.cardinality() == terms) {
          return instance.toString();
        }
      }
    }
    return null;
  }

  /** How many terms complete this one's clause; 0: the clause does not count. */
  private static int termsToHold(IntervalRef ref, Map<String, Policy> policies) {
    Policy policy = policies.get(ref.getPredicate());
    boolean counts =
        policy != null && policy.rollsBack() && policy.version() == ref.getPredicateVersion();
    if (policy == null || !counts || ref.getClause() >= policy.termsPerClause().size()) {
      return 0;
    }
    int terms = policy.termsPerClause().get(ref.getClause());
    return ref.getTerm() < terms ? terms : 0;
  }

  private record Instance(String predicate, int clause, String binding) {
    @Override
    public String toString() {
      return "predicate=" + predicate + " clause=" + clause + " binding=" + binding;
    }
  }
}
