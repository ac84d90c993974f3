package io.palinode.predicate.form;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.Clause;
import io.palinode.predicate.Comparison;
import io.palinode.predicate.OnViolation;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.PredicateClass;
import io.palinode.predicate.PredicateLimits;
import io.palinode.predicate.RandomPredicate;
import io.palinode.predicate.ReplicaRule;
import io.palinode.predicate.Term;
import io.palinode.predicate.template.Template;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RoundTripTest {
  private static final int SEEDS = 4_000;

  @Test
  void anyPredicateSurvivesXmlAndThenYaml() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Predicate predicate = new RandomPredicate(seed).next();
      String xml = Predicates.toXml(predicate);
      Predicate fromXml = Predicates.parse(xml, "x.xml");
      assertThat(fromXml).as("seed %d, XML:%n%s", seed, xml).isEqualTo(predicate);
      String yaml = Predicates.toYaml(fromXml);
      assertThat(Predicates.parse(yaml, "x.yaml"))
          .as("seed %d, YAML:%n%s", seed, yaml)
          .isEqualTo(predicate);
    }
  }

  @Test
  void equalPredicatesHaveEqualYaml() {
    for (long seed = 0; seed < 100; seed++) {
      Predicate predicate = new RandomPredicate(seed).next();
      String yaml = Predicates.toYaml(predicate);
      assertThat(Predicates.toYaml(Predicates.parse(yaml, "x.yaml")))
          .as("seed %d", seed)
          .isEqualTo(yaml);
    }
  }

  @Test
  void manyPredicatesInOneYamlTextAreReadInOrder() {
    List<Predicate> predicates =
        IntStream.range(0, 50)
            .mapToObj(i -> new RandomPredicate(i).next().withName("p" + i))
            .toList();
    String yaml = String.join("---\n", predicates.stream().map(Predicates::toYaml).toList());
    assertThat(Predicates.parseAll(yaml, "many.yaml")).isEqualTo(predicates);
  }

  @Test
  void theLargestPredicateFitsInADocumentOfEitherForm() {
    for (Predicate largest : List.of(largest(0), largest(Predicate.LISTED_VALUES_MAX))) {
      assertThat(Predicates.toXml(largest)).hasSizeLessThan(Predicates.DOCUMENT_BYTES_MAX);
      assertThat(Predicates.toYaml(largest)).hasSizeLessThan(Predicates.DOCUMENT_BYTES_MAX);
      assertThat(Predicates.parse(Predicates.toXml(largest), "x")).isEqualTo(largest);
      assertThat(Predicates.parse(Predicates.toYaml(largest), "x")).isEqualTo(largest);
    }
  }

  /** As many clauses, terms and characters as may be, all of them costly to escape. */
  private static Predicate largest(int lists) {
    int charactersPerTerm = Predicate.PATTERN_CHARACTERS_MAX / PredicateLimits.DEFAULT.termsMax();
    String half = "\"".repeat(charactersPerTerm / 2);
    Term plain = new Term(Template.parse(half), new Comparison.NotEquals(Template.parse(half)));
    // An attribute costs more to escape than an element: all characters are in the variable.
    Term list =
        new Term(
            Template.parse("\"".repeat(charactersPerTerm)),
            new Comparison.In(List.of(Template.parse(""))));
    int termsPerClause = PredicateLimits.DEFAULT.termsMax() / PredicateLimits.DEFAULT.clausesMax();
    List<Clause> clauses = new ArrayList<>();
    for (int i = 0; i < PredicateLimits.DEFAULT.clausesMax(); i++) {
      Term term = i * termsPerClause < lists ? list : plain;
      clauses.add(new Clause(Collections.nCopies(termsPerClause, term)));
    }
    return new Predicate(
        "largest",
        Map.of(),
        PredicateClass.SEMILINEAR,
        null,
        Uncertainty.CONSERVATIVE,
        ReplicaRule.FIRST,
        Map.of(),
        List.of(),
        clauses,
        OnViolation.DEFAULT);
  }
}
