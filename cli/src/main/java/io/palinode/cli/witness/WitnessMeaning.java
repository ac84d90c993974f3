package io.palinode.cli.witness;

import io.palinode.detection.AbsenceReason;
import io.palinode.detection.DivergenceReason;
import io.palinode.detection.GradeReason;
import io.palinode.detection.OperationReason;
import io.palinode.detection.witness.PortableWitness;
import io.palinode.hvc.Causality;
import io.palinode.hvc.Interval;
import io.palinode.predicate.Clause;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.PredicateLimits;
import io.palinode.predicate.form.Predicates;
import org.jspecify.annotations.Nullable;

/** What the grade of a violation means, from its witness, which holds. Pure. */
final class WitnessMeaning {
  private WitnessMeaning() {}

  static String of(PortableWitness witness) {
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
    OperationReason operation = operation(witness.intervals().get(0));
    if (operation != null) {
      PortableWitness.HeldInterval judged = witness.intervals().get(0);
      return operation.of(new Interval(judged.start(), judged.end()));
    }
    return GradeReason.of(
        causality,
        clause.heldFor(),
        witness.finding().grade(),
        witness.intervals().stream()
            .map(
                held ->
                    new GradeReason.Held(
                        held.term(), held.member(), new Interval(held.start(), held.end())))
            .toList());
  }

  private static Clause clause(PortableWitness witness) {
    return Predicates.parse(
            witness.subject().yaml(), witness.subject().predicate(), PredicateLimits.CEILING)
        .violation()
        .get(witness.subject().clause());
  }

  /** Null: its versions make its term true. */
  private static @Nullable OperationReason operation(PortableWitness.HeldInterval held) {
    for (PortableWitness.HeldValue value : held.values()) {
      switch (value.role()) {
        case LOST -> {
          return OperationReason.LOST_UPDATE;
        }
        case WRITTEN -> {
          return OperationReason.READ_AFTER_WRITE;
        }
        case READ -> {
          return OperationReason.READ_AFTER_READ;
        }
        case HOLDS, SEEN -> {}
      }
    }
    return null;
  }
}
