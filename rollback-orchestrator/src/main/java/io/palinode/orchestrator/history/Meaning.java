package io.palinode.orchestrator.history;

import io.palinode.detection.AbsenceReason;
import io.palinode.detection.DivergenceReason;
import io.palinode.detection.GradeReason;
import io.palinode.detection.OperationReason;
import io.palinode.detection.witness.PortableWitness.Role;
import io.palinode.hvc.Causality;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Interval;
import io.palinode.hvc.Uncertainty;
import io.palinode.orchestrator.violations.Grades;
import io.palinode.predicate.ClauseRule;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.Witness;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the grade of a violation means: the sentence of {@link GradeReason}, {@link AbsenceReason},
 * {@link DivergenceReason} or {@link OperationReason}. Pure.
 */
public final class Meaning {
  private Meaning() {}

  /**
   * Returns the sentence; null for a record that lacks ε or has unreadable clocks. O(witnesses²).
   */
  public static @Nullable String of(Violation violation) {
    List<Witness> witnesses = violation.getWitnessesList();
    if (violation.getEpsilon().isEmpty() || witnesses.isEmpty()) {
      return null;
    }
    try {
      Epsilon epsilon = Epsilon.parse(violation.getEpsilon());
      if (isOfReplicas(witnesses)) {
        return DivergenceReason.of(
            epsilon,
            witnesses.stream().map(Witness::getNode).sorted().toList(),
            violation.getFirst(),
            violation.getViolate());
      }
      OperationReason operation =
          Role.operation(
              witnesses.get(0).getValuesList().stream()
                  .map(version -> Evidence.role(version.getRole())));
      if (operation != null) {
        return operation.of(held(witnesses.get(0)).interval());
      }
      List<GradeReason.Held> held = witnesses.stream().map(Meaning::held).toList();
      // The rule of uncertainty decides which violations there are, not what a grade means.
      Causality causality = new Causality(epsilon, Uncertainty.CONSERVATIVE);
      if (violation.hasWithinMicros()) {
        return AbsenceReason.of(
            causality,
            new ClauseRule.Within(Duration.of(violation.getWithinMicros(), ChronoUnit.MICROS)),
            held.stream().map(GradeReason.Held::interval).toList());
      }
      return GradeReason.of(
          causality, heldFor(violation, held), Grades.of(violation.getGrade()), held);
    } catch (IllegalArgumentException unreadable) {
      return null;
    }
  }

  /** One term of two witnesses that are of no different members. */
  private static boolean isOfReplicas(List<Witness> witnesses) {
    return !witnesses.get(0).hasMember()
        && witnesses.stream().map(Witness::getTerm).distinct().count() < witnesses.size();
  }

  /** With {@code for}, a violation is that time after the last start. */
  private static Duration heldFor(Violation violation, List<GradeReason.Held> held) {
    long last = held.stream().mapToLong(each -> each.interval().start().own()).max().orElseThrow();
    long micros = Hlc.micros(violation.getViolate()) - Hlc.micros(last);
    return Duration.of(Math.max(0, micros), ChronoUnit.MICROS);
  }

  private static GradeReason.Held held(Witness witness) {
    return new GradeReason.Held(
        witness.getTerm(),
        witness.getMember(),
        new Interval(
            CandidateRecords.decode(witness.getStart()),
            witness.hasEnd() ? CandidateRecords.decode(witness.getEnd()) : null));
  }
}
