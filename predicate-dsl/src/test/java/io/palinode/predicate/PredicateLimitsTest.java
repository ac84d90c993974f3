package io.palinode.predicate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.predicate.form.Predicates;
import io.palinode.predicate.text.PredicateException;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class PredicateLimitsTest {
  private static final String TERM = "{var: x, equals: \"1\"}";

  @Test
  void whatIsBeyondALimitIsRefusedWithItsOptionAndRaisingItHelps() {
    checkRaised(all(65), "terms (--clause-terms-max): terms=65", limits(10, 100, 65, 10));
    checkRaised(
        "    - atLeast: {count: 3, of: [" + terms(24) + "]}\n",
        "at most 2016 combinations (--combinations-max), each is looked for by itself:"
            + " 3 of 24 have 2024",
        limits(10, 100, 64, 2_024));
    checkRaised(
        all(1).repeat(10_001),
        "clauses (--clauses-max): clauses=10001",
        limits(10_001, 20_000, 1, 1));
    checkRaised(
        all(40).repeat(501), "terms (--terms-max): terms=20040", limits(501, 20_040, 40, 1));
  }

  @Test
  void whatWasAcceptedElsewhereIsRead() {
    assertThat(Predicates.parse(document(all(4_000)), "p", PredicateLimits.CEILING).violation())
        .hasSize(1);
  }

  @Test
  void aLimitIsPositive() {
    assertThatThrownBy(() -> limits(0, 1, 1, 1)).hasMessageContaining("clausesMax=0");
  }

  private static void checkRaised(String violation, String message, PredicateLimits raised) {
    String document = document(violation);
    assertThatThrownBy(() -> Predicates.parse(document, "p"))
        .isInstanceOf(PredicateException.class)
        .hasMessageContaining(message);
    assertThat(Predicates.parse(document, "p", raised).violation()).isNotEmpty();
  }

  private static PredicateLimits limits(int clauses, int terms, int clauseTerms, int combinations) {
    return new PredicateLimits(clauses, terms, clauseTerms, combinations);
  }

  private static String all(int terms) {
    return "    - all: [" + terms(terms) + "]\n";
  }

  private static String terms(int count) {
    return String.join(", ", Collections.nCopies(count, TERM));
  }

  private static String document(String violation) {
    return """
        apiVersion: palinode.io/v1
        kind: Predicate
        metadata: {name: p}
        spec:
          violation:
        """
        + violation;
  }
}
