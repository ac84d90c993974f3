package io.palinode.orchestrator.step;

import io.palinode.orchestrator.plan.CutPiece;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.state.Gates;
import io.palinode.orchestrator.violations.TouchingRollback;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.template.Decimal;
import io.palinode.wire.v1.IntervalRef;
import java.math.BigDecimal;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Whether a cut, given the terms that hold on it, is free of violations (design: "Verified"). */
public final class CutCheck {
  /** Beyond this number of different sums of siblings, the cut counts as violated. */
  private static final int SUMS_MAX = 10_000;

  private CutCheck() {}

  /**
   * The instances of clauses that are true on the cut. O(terms that hold), except sums of siblings.
   * Only current versions of predicates that ask for rollback count. Nodes evaluate the others
   * after the resume.
   *
   * @param cut the terms that hold on it
   * @param hlc of the cut
   * @param gates instances that held before they were watched do not count. If violations of a
   *     predicate stand or wait, only instances of {@code about} count, since later plans must not
   *     discard a standing violation
   * @param about the instances that the plan was opened for
   */
  public static List<Instance> violated(
      List<CutPiece> cut,
      long hlc,
      Map<String, Policy> policies,
      Gates gates,
      @Nullable TouchingRollback about) {
    Map<Instance, Held> instances = new LinkedHashMap<>();
    for (CutPiece piece : cut) {
      for (IntervalRef ref : piece.holding()) {
        ClauseShape shape = shape(ref, hlc, policies, gates, about);
        if (shape != null && ref.getTerm() < shape.terms()) {
          Instance of = new Instance(ref.getPredicate(), ref.getClause(), ref.getBinding());
          instances.computeIfAbsent(of, i -> new Held(shape)).add(piece.node(), ref);
        }
      }
    }
    return instances.entrySet().stream()
        .filter(instance -> instance.getValue().isViolation())
        .map(Map.Entry::getKey)
        .toList();
  }

  /** The clause of a term; null if the term does not count. */
  private static @Nullable ClauseShape shape(
      IntervalRef ref,
      long hlc,
      Map<String, Policy> policies,
      Gates gates,
      @Nullable TouchingRollback about) {
    Policy policy = policies.get(ref.getPredicate());
    boolean counts =
        policy != null
            && policy.rollsBack()
            && policy.version() == ref.getPredicateVersion()
            && !gates.holds(ref.getPredicate(), ref.getBinding(), hlc)
            && (!gates.mayStand(ref.getPredicate())
                || (about != null && about.isOf(ref.getPredicate(), ref.getBinding())));
    return policy != null && counts && ref.getClause() < policy.clauses().size()
        ? policy.clauses().get(ref.getClause())
        : null;
  }

  /** An instance of one clause of a predicate. */
  public record Instance(String predicate, int clause, String binding) {
    @Override
    public String toString() {
      return "predicate=" + predicate + " clause=" + clause + " binding=" + binding;
    }
  }

  /** The terms that hold of one instance. */
  private static final class Held {
    private final ClauseShape shape;
    private final Map<Integer, BitSet> termsAtNode = new HashMap<>();
    private final BitSet terms = new BitSet();
    private final Map<Integer, Set<BigDecimal>> amounts = new HashMap<>();

    Held(ClauseShape shape) {
      this.shape = shape;
    }

    void add(int node, IntervalRef ref) {
      terms.set(ref.getTerm());
      termsAtNode.computeIfAbsent(node, n -> new BitSet()).set(ref.getTerm());
      Decimal amount = ref.hasAmount() ? Decimal.read(ref.getAmount()) : null;
      if (amount != null) {
        // By value, not by scale: 1.0 is 1.00.
        amounts
            .computeIfAbsent(ref.getTerm(), term -> new HashSet<>())
            .add(amount.value().stripTrailingZeros());
      }
    }

    boolean isViolation() {
      if (shape.rule() instanceof ClauseRule.Sum sum) {
        return isViolation(sum);
      }
      int local = 0;
      int held = 0;
      for (int termsOfLocal : shape.termsOf()) {
        held += holds(local, termsOfLocal) ? 1 : 0;
        local += termsOfLocal;
      }
      return shape.rule() instanceof ClauseRule.AtLeast some
          ? held >= some.count()
          : held == shape.termsOf().size();
    }

    /** Whether a local predicate holds: a term somewhere, several on one node. */
    private boolean holds(int firstTerm, int count) {
      return count == 1
          ? terms.get(firstTerm)
          : termsAtNode.values().stream()
              .anyMatch(ofNode -> ofNode.nextClearBit(firstTerm) >= firstTerm + count);
    }

    private boolean isViolation(ClauseRule.Sum sum) {
      if (amounts.size() < shape.terms()) {
        return false;
      }
      Set<BigDecimal> sums = Set.of(BigDecimal.ZERO);
      for (int term = 0; term < shape.terms(); term++) {
        Set<BigDecimal> more = new HashSet<>();
        for (BigDecimal amount : amounts.getOrDefault(term, Set.of())) {
          sums.forEach(before -> more.add(before.add(amount).stripTrailingZeros()));
        }
        sums = more;
        if (sums.size() > SUMS_MAX) {
          return true;
        }
      }
      return sums.stream().anyMatch(sum::holds);
    }
  }
}
