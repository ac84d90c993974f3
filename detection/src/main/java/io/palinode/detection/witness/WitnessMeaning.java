package io.palinode.detection.witness;

import io.palinode.detection.AbsenceReason;
import io.palinode.detection.DivergenceReason;
import io.palinode.detection.GradeReason;
import io.palinode.detection.OperationReason;
import io.palinode.detection.SumReason;
import io.palinode.hvc.Causality;
import io.palinode.hvc.Interval;
import io.palinode.predicate.Clause;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.PredicateLimits;
import io.palinode.predicate.form.Predicates;
import java.util.List;

/** What the grade of a violation means, from its witness, which holds. Pure. */
public final class WitnessMeaning {
  private WitnessMeaning() {}

  /**
   * Returns the sentence. Throws {@link IllegalArgumentException} if the text of the predicate has
   * no such clause. O(intervals²).
   */
  public static String of(PortableWitness witness) {
    Clause clause = clause(witness);
    Causality causality = new Causality(witness.rules().epsilon(), witness.rules().uncertainty());
    if (clause.rule() instanceof ClauseRule.Within within) {
      return AbsenceReason.of(
          causality,
          within,
          witness.intervals().stream()
              .map(held -> new Interval(held.start(), held.end()))
              .toList());
    }
    if (clause.isOfStates()) {
      return DivergenceReason.of(
          witness.rules().epsilon(),
          witness.intervals().stream().map(held -> held.id().node()).sorted().toList(),
          witness.finding().first(),
          witness.finding().violate());
    }
    PortableWitness.HeldInterval judged = witness.intervals().get(0);
    OperationReason operation =
        PortableWitness.Role.operation(
            judged.values().stream().map(PortableWitness.HeldValue::role));
    if (operation != null) {
      return operation.of(new Interval(judged.start(), judged.end()));
    }
    String reason =
        GradeReason.of(
            causality,
            clause.heldFor(),
            witness.finding().grade(),
            witness.intervals().stream()
                .map(
                    held ->
                        new GradeReason.Held(
                            held.term(), held.member(), new Interval(held.start(), held.end())))
                .toList());
    return clause.rule() instanceof ClauseRule.Sum sum
        ? reason + SumReason.of(sum, witness.sum(sum))
        : reason;
  }

  private static Clause clause(PortableWitness witness) {
    PortableWitness.Subject subject = witness.subject();
    List<Clause> clauses =
        Predicates.parse(subject.yaml(), subject.predicate(), PredicateLimits.CEILING).violation();
    if (subject.clause() >= clauses.size()) {
      throw new IllegalArgumentException(
          "the predicate must have clause %d: it has %d clauses"
              .formatted(subject.clause(), clauses.size()));
    }
    return clauses.get(subject.clause());
  }
}
