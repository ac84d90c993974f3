package io.palinode.orchestrator.step;

import io.palinode.orchestrator.plan.CutPiece;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.state.Gates;
import io.palinode.orchestrator.violations.TouchingRollback;
import io.palinode.predicate.ClauseShape;
import io.palinode.wire.v1.IntervalRef;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Whether a cut, given the terms that hold on it, is free of violations (design: "Verified").
 *
 * <p>A cut does not show for how long terms have held. So of clauses with {@code for} only the
 * instances that the plan was opened for count: they must not hold at all, for the target is right
 * before they did. What was not answered in time is not on a cut, so clauses with {@code within} do
 * not count.
 */
public final class CutCheck {
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
    return complete(
        cut,
        ref -> {
          ClauseShape shape = shape(ref, hlc, policies, gates, about);
          boolean isOther = about == null || !about.isOf(ref.getPredicate(), ref.getBinding());
          return shape != null && shape.lasts() && isOther ? null : shape;
        });
  }

  /** The instances that hold on the cut, for however long, also those that stand. */
  static List<Instance> holding(List<CutPiece> cut, long hlc, Map<String, Policy> policies) {
    return complete(cut, ref -> shape(ref, hlc, policies, Gates.NONE, null));
  }

  private static List<Instance> complete(
      List<CutPiece> cut, Function<IntervalRef, @Nullable ClauseShape> shapes) {
    Map<InstanceKey, HeldTerms> instances = new LinkedHashMap<>();
    for (CutPiece piece : cut) {
      for (IntervalRef ref : piece.holding()) {
        ClauseShape shape = shapes.apply(ref);
        if (shape != null && ref.getTerm() < shape.terms()) {
          InstanceKey of = new InstanceKey(ref.getPredicate(), ref.getClause(), ref.getBinding());
          instances.computeIfAbsent(of, i -> new HeldTerms(shape)).add(piece.node(), ref);
        }
      }
    }
    return instances.entrySet().stream()
        .filter(instance -> instance.getValue().isViolation())
        .map(instance -> instance.getKey().violatedSince(instance.getValue().violatedSince()))
        .toList();
  }

  private record InstanceKey(String predicate, int clause, String binding) {
    Instance violatedSince(long hlc) {
      return new Instance(predicate, clause, binding, hlc);
    }
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
    ClauseShape clause =
        policy != null && counts && ref.getClause() < policy.clauses().size()
            ? policy.clauses().get(ref.getClause())
            : null;
    return clause == null || clause.isWithin() ? null : clause;
  }

  /**
   * An instance of one clause of a predicate that is violated on the cut.
   *
   * @param since the HLC at which the terms that hold became a violation; 0: not known
   */
  public record Instance(String predicate, int clause, String binding, long since) {
    @Override
    public String toString() {
      return "predicate=" + predicate + " clause=" + clause + " binding=" + binding;
    }
  }
}
