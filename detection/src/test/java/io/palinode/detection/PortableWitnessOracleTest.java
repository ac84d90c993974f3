package io.palinode.detection;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detection.witness.PortableWitness;
import io.palinode.detection.witness.PortableWitness.Circumstance;
import io.palinode.detection.witness.PortableWitness.Finding;
import io.palinode.detection.witness.PortableWitness.HeldInterval;
import io.palinode.detection.witness.PortableWitness.HeldValue;
import io.palinode.detection.witness.PortableWitness.Rules;
import io.palinode.detection.witness.PortableWitness.Subject;
import io.palinode.detection.witness.WitnessCheck;
import io.palinode.predicate.Clause;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.Comparison;
import io.palinode.predicate.LocalPredicate;
import io.palinode.predicate.OnViolation;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.PredicateClass;
import io.palinode.predicate.Term;
import io.palinode.predicate.form.Predicates;
import io.palinode.predicate.template.Template;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** All that detection reports, when it is reported and when its grade rises, passes the check. */
class PortableWitnessOracleTest {
  @ParameterizedTest
  @EnumSource
  void everyReportOfEveryGradeHolds(Shapes shapes) {
    Seeds.each(
        Seeds.count(200),
        random -> {
          Computation run =
              random.nextBoolean() || shapes == Shapes.GROUPS
                  ? Computation.random(random, shapes)
                  : ReplicatedComputation.random(random, shapes);
          Delivery delivery =
              new Delivery(random, run.spec(), run.events(), detector -> detector).run();
          List<Witness> found = new ArrayList<>(delivery.reports());
          found.addAll(delivery.raised());
          for (Witness witness : found) {
            assertThat(WitnessCheck.check(portable(run.spec(), witness))).isEmpty();
          }
        });
  }

  /** Also with {@code for}: runs of several versions. */
  @ParameterizedTest
  @EnumSource
  void everyReportOfEveryGradeOfAClauseThatLastsHolds(Shapes shapes) {
    Seeds.each(
        Seeds.count(200),
        random -> {
          LastingComputation run = LastingComputation.ofMillis(random, shapes);
          LastingStream stream = new LastingStream(random, run, detector -> detector).run();
          List<Witness> found = new ArrayList<>(stream.reports());
          found.addAll(stream.raised());
          for (Witness witness : found) {
            assertThat(WitnessCheck.check(portable(run.spec(), witness))).isEmpty();
          }
        });
  }

  /** With {@code within}, an answer is named exactly if it may be in time. */
  @Test
  void everyReportOfAClauseWithinHoldsAndNoOtherAnswerCanBeNamed() {
    Seeds.each(
        Seeds.count(200),
        random -> {
          WithinComputation run = WithinComputation.random(random, true);
          WithinOracle oracle = new WithinOracle(run);
          for (Witness witness : oracle.verdict().witnesses()) {
            assertThat(WitnessCheck.check(portable(run.spec(), witness))).isEmpty();
          }
          for (WithinComputation.Trigger trigger : run.triggers()) {
            for (Candidate answer : run.answers()) {
              Witness forged = oracle.possible(trigger.candidate(), answer);
              assertThat(WitnessCheck.check(portable(run.spec(), forged)).isEmpty())
                  .isEqualTo(oracle.mayBeInTime(trigger.candidate(), answer));
            }
          }
        });
  }

  private static PortableWitness portable(DetectionSpec spec, Witness witness) {
    Subject subject = new Subject("p", 1, yaml(spec), "", witness.clause());
    List<CandidateId> ids = witness.candidates().stream().map(Candidate::id).toList();
    return PortableWitness.of(
        subject,
        new Rules(spec.causality().epsilon(), spec.causality().uncertainty(), spec.replicas()),
        new Finding(
            ViolationId.of("p", 1, "", witness.clause(), ids),
            witness.grade(),
            witness.first(),
            witness.violate()),
        new Circumstance(0, 0),
        witness.candidates().stream().map(PortableWitnessOracleTest::held).toList());
  }

  private static HeldInterval held(Candidate candidate) {
    BigDecimal amount = candidate.amount();
    HeldValue value =
        new HeldValue(
            "s",
            candidate.member().isEmpty()
                ? key(candidate.clause(), candidate.term())
                : key(candidate.clause(), Integer.parseInt(candidate.member().substring(2))),
            amount == null ? "1" : amount.toString(),
            "");
    return new HeldInterval(
        candidate.term(),
        candidate.id(),
        candidate.interval().start(),
        candidate.interval().end(),
        "",
        List.of(value),
        candidate.member());
  }

  private static String key(int clause, int term) {
    return "x" + clause + "_" + term;
  }

  private static String yaml(DetectionSpec spec) {
    List<Clause> clauses = new ArrayList<>();
    for (ClauseShape shape : spec.clauses()) {
      clauses.add(clause(clauses.size(), shape));
    }
    return Predicates.toYaml(
        new Predicate(
            "p",
            Map.of(),
            PredicateClass.BOUNDED_SUM,
            spec.causality().epsilon(),
            spec.causality().uncertainty(),
            spec.replicas(),
            Map.of(),
            List.of(),
            clauses,
            OnViolation.DEFAULT));
  }

  private static Clause clause(int clause, ClauseShape shape) {
    Comparison holds =
        shape.rule() instanceof ClauseRule.Sum
            ? new Comparison.IsNumber()
            : new Comparison.Equals(Template.parse("1"));
    List<LocalPredicate> of = new ArrayList<>();
    int term = 0;
    for (int terms : shape.termsOf()) {
      List<Term> ofLocal = new ArrayList<>();
      for (int end = term + terms; term < end; term++) {
        String key = shape.isDistinct() ? "x" + clause + "_{m}" : key(clause, term);
        ofLocal.add(new Term(Template.parse(key), holds));
      }
      of.add(new LocalPredicate(ofLocal));
    }
    return new Clause(shape.rule(), of, shape.heldFor());
  }
}
