package io.palinode.predicate;

import static org.assertj.core.api.Assertions.assertThat;

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
    Predicate largest = largest();
    assertThat(Predicates.toXml(largest)).hasSizeLessThan(Predicates.DOCUMENT_BYTES_MAX);
    assertThat(Predicates.parse(Predicates.toXml(largest), "x")).isEqualTo(largest);
    assertThat(Predicates.parse(Predicates.toYaml(largest), "x")).isEqualTo(largest);
  }

  /** As many clauses, terms and characters as may be, all of them costly to escape. */
  private static Predicate largest() {
    String costly = "\"".repeat(Predicate.PATTERN_CHARACTERS_MAX / Predicate.TERMS_MAX / 2);
    Term term = new Term(Template.parse(costly), new Comparison.NotEquals(Template.parse(costly)));
    int termsPerClause = Predicate.TERMS_MAX / Predicate.CLAUSES_MAX;
    Clause clause = new Clause(Collections.nCopies(termsPerClause, term));
    return new Predicate(
        "largest",
        Map.of(),
        PredicateClass.SEMILINEAR,
        null,
        io.palinode.hvc.Uncertainty.CONSERVATIVE,
        ReplicaRule.FIRST,
        Map.of(),
        List.of(),
        Collections.nCopies(Predicate.CLAUSES_MAX, clause),
        OnViolation.DEFAULT);
  }
}
