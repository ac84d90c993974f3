package io.palinode.benchmarks.online;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.benchmarks.StoreLoad.Request;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.form.Predicates;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ConjunctionTest {
  @Test
  void theShareOfPutsOfTermsIsBetaAndEachTermIsPutEquallyOften() {
    for (double puts : new double[] {0.1, 0.25, 0.5, 1}) {
      Conjunction workload = new Conjunction(10, 0.01, puts);
      List<Request> requests = take(workload.requests(2, 6), 100_000);
      List<Request> written = requests.stream().filter(r -> r.put() != null).toList();
      assertThat(written).hasSize((int) (100_000 * puts));
      Map<String, Long> terms =
          written.stream()
              .filter(r -> Integer.parseInt(r.key().substring(1)) <= 10)
              .collect(Collectors.groupingBy(Request::key, Collectors.counting()));
      assertThat(terms).hasSize(10);
      assertThat(terms.values()).allMatch(count -> count == 100);
    }
  }

  @Test
  void clientsBeginAtDifferentVariables() {
    Conjunction workload = new Conjunction(10, 0.01, 0.5);
    assertThat(workload.variables()).isEqualTo(500);
    assertThat(take(workload.requests(0, 2), 1).get(0).key()).isEqualTo("x1");
    assertThat(take(workload.requests(1, 2), 1).get(0).key()).isEqualTo("x251");
  }

  @Test
  void thePredicateIsAConjunctionOfTheFirstVariables() {
    Predicate predicate = Predicates.parse(new Conjunction(3, 0.01, 0.5).yaml(), "c.yaml");
    assertThat(predicate.name()).isEqualTo(Conjunction.NAME);
    assertThat(predicate.violation()).hasSize(1);
    assertThat(predicate.violation().get(0).of()).hasSize(3);
    assertThat(predicate.onViolation().rollbackTo()).isNull();
  }

  @Test
  void aBetaAboveTheShareOfPutsIsRefused() {
    assertThatThrownBy(() -> new Conjunction(10, 0.2, 0.1)).hasMessageContaining("beta=0.2");
  }

  private static List<Request> take(Supplier<Request> requests, int count) {
    return Stream.generate(requests).limit(count).toList();
  }
}
