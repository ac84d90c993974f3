package io.palinode.orchestrator.step;

import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.template.Decimal;
import io.palinode.wire.v1.IntervalRef;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The terms of one instance that hold on a cut, and whether they make its clause true. */
final class HeldTerms {
  /** Beyond this number of different sums of siblings, the cut counts as violated. */
  private static final int SUMS_MAX = 10_000;

  private final ClauseShape shape;
  private final Map<HeldTerm, Where> held = new LinkedHashMap<>();

  HeldTerms(ClauseShape shape) {
    this.shape = shape;
  }

  /**
   * @param amount the value of a variable of a sum, else null
   * @param member of a clause with {@code distinct}, else empty
   */
  private record HeldTerm(int term, @Nullable BigDecimal amount, String member) {
    static HeldTerm of(IntervalRef ref) {
      Decimal amount = ref.hasAmount() ? Decimal.read(ref.getAmount()) : null;
      // By value, not by scale: 1.0 is 1.00.
      return new HeldTerm(
          ref.getTerm(),
          amount == null ? null : amount.value().stripTrailingZeros(),
          ref.getMember());
    }
  }

  /** The nodes at which a term holds, and the earliest time since which it does; 0: not known. */
  private record Where(Set<Integer> nodes, long since) {
    static final Where NOWHERE = new Where(Set.of(), 0);

    Where and(int node, long at) {
      Set<Integer> more = new HashSet<>(nodes);
      more.add(node);
      return new Where(more, since == 0 || at == 0 ? Math.max(since, at) : Math.min(since, at));
    }
  }

  void add(int node, IntervalRef ref) {
    held.compute(
        HeldTerm.of(ref),
        (term, where) -> (where == null ? Where.NOWHERE : where).and(node, ref.getSince()));
  }

  boolean isViolation() {
    return isViolation(List.copyOf(held.keySet()));
  }

  /**
   * The HLC at which the last term that the clause needs became true; 0 if not known. Replicas
   * converge, so a term counts everywhere once it is true at one node. O(terms that hold), each
   * with a check of the clause.
   */
  long violatedSince() {
    List<HeldTerm> inOrder =
        held.keySet().stream().sorted(Comparator.comparingLong(this::since)).toList();
    int count = 1;
    while (count < inOrder.size() && !isViolation(inOrder.subList(0, count))) {
      count++;
    }
    return since(inOrder.get(count - 1));
  }

  private long since(HeldTerm term) {
    return held.getOrDefault(term, Where.NOWHERE).since();
  }

  private boolean isViolation(List<HeldTerm> some) {
    if (shape.rule() instanceof ClauseRule.Sum sum) {
      return isViolation(sum, some);
    }
    return shape.isDistinct()
        ? some.stream().map(HeldTerm::member).distinct().count() >= shape.intervalsMax()
        : isComplete(some);
  }

  private boolean isComplete(List<HeldTerm> some) {
    Map<Integer, BitSet> termsAtNode = new HashMap<>();
    BitSet terms = new BitSet();
    for (HeldTerm each : some) {
      terms.set(each.term());
      held.getOrDefault(each, Where.NOWHERE)
          .nodes()
          .forEach(node -> termsAtNode.computeIfAbsent(node, n -> new BitSet()).set(each.term()));
    }
    int local = 0;
    int complete = 0;
    for (int count : shape.termsOf()) {
      complete += holds(terms, termsAtNode, local, count) ? 1 : 0;
      local += count;
    }
    return shape.rule() instanceof ClauseRule.AtLeast atLeast
        ? complete >= atLeast.count()
        : complete == shape.termsOf().size();
  }

  /** Whether a local predicate holds: a term somewhere, several on one node. */
  private static boolean holds(
      BitSet terms, Map<Integer, BitSet> termsAtNode, int firstTerm, int count) {
    return count == 1
        ? terms.get(firstTerm)
        : termsAtNode.values().stream()
            .anyMatch(ofNode -> ofNode.nextClearBit(firstTerm) >= firstTerm + count);
  }

  /** Beyond a number of different sums, the cut counts as violated. */
  private boolean isViolation(ClauseRule.Sum sum, List<HeldTerm> some) {
    Map<Object, Set<BigDecimal>> amounts = new LinkedHashMap<>();
    for (HeldTerm each : some) {
      if (each.amount() != null) {
        amounts
            .computeIfAbsent(
                shape.isDistinct() ? each.member() : each.term(), unseen -> new HashSet<>())
            .add(sum.amount(each.term(), each.amount()));
      }
    }
    int count = shape.intervalsMax();
    // How many variables or members may be left out of the sum.
    int spare = amounts.size() - count;
    if (spare < 0) {
      return false;
    }
    List<Set<BigDecimal>> sumsWithout = new ArrayList<>(List.of(Set.of(BigDecimal.ZERO)));
    for (Set<BigDecimal> ofOne : amounts.values()) {
      sumsWithout = withOneMore(sumsWithout, ofOne, spare);
      if (sumsWithout.stream().mapToInt(Set::size).sum() > SUMS_MAX) {
        return true;
      }
    }
    return sumsWithout.get(spare).stream().anyMatch(sum::holds);
  }

  /** The sums by how many were left out, at most {@code spare}, with {@code ofOne} or without. */
  private static List<Set<BigDecimal>> withOneMore(
      List<Set<BigDecimal>> sumsWithout, Set<BigDecimal> ofOne, int spare) {
    List<Set<BigDecimal>> more = new ArrayList<>();
    for (int without = 0; without <= Math.min(spare, sumsWithout.size()); without++) {
      Set<BigDecimal> sums = new HashSet<>(without == 0 ? Set.of() : sumsWithout.get(without - 1));
      Set<BigDecimal> before = without < sumsWithout.size() ? sumsWithout.get(without) : Set.of();
      for (BigDecimal amount : ofOne) {
        before.forEach(each -> sums.add(each.add(amount).stripTrailingZeros()));
      }
      more.add(sums);
    }
    return more;
  }
}
