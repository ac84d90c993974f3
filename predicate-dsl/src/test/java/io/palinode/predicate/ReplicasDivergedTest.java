package io.palinode.predicate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.palinode.predicate.form.Predicates;
import io.palinode.predicate.template.Template;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReplicasDivergedTest {
  private static final String YAML =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: carts-agree}
      spec:
        forEach: {cart: "{u}"}
        violation:
          - replicasDiverged: {store: carts, var: "cart_{u}", longerThan: 5s}
      """;
  private static final String XML =
      """
      <predicate xmlns="https://palinode.io/v1" name="carts-agree">
        <forEach name="cart">{u}</forEach>
        <violation>
          <replicasDiverged store="carts" var="cart_{u}" longerThan="5s"/>
        </violation>
      </predicate>
      """;

  @Test
  void itIsAboutEachReplicaAndAlertsOnly() {
    Predicate predicate = Predicates.parse(YAML, "p.yaml");
    Clause clause = predicate.violation().get(0);
    assertThat(clause.rule()).isEqualTo(new ClauseRule.ReplicasDiverged(Duration.ofSeconds(5)));
    assertThat(clause.isOfStates()).isTrue();
    assertThat(predicate.replicas()).isEqualTo(ReplicaRule.ANY);
    assertThat(predicate.onViolation()).isEqualTo(OnViolation.DEFAULT);
    assertThat(predicate.type()).isEqualTo(PredicateClass.SEMILINEAR);
  }

  @Test
  void bothFormsSayTheSame() {
    assertThat(Predicates.parse(XML, "p.xml")).isEqualTo(Predicates.parse(YAML, "p.yaml"));
  }

  @Test
  void aRollbackThatSaysNoneIsNone() {
    String xml =
        XML.replace(
            "</predicate>", "<onViolation><rollback to=\"none\"/></onViolation></predicate>");
    assertThat(Predicates.parse(xml, "p.xml").onViolation()).isEqualTo(OnViolation.DEFAULT);
  }

  @Test
  void noOtherClauseIsOfAVariableInAnyState() {
    Term state = new Term(Template.parse("x"), new Comparison.AnyState());
    Term value = new Term(Template.parse("x"), new Comparison.Equals(Template.parse("1")));
    ClauseRule rule = new ClauseRule.ReplicasDiverged(Duration.ofSeconds(1));
    for (List<Term> terms : List.of(List.of(value), List.of(state, state))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new Clause(rule, terms.stream().map(LocalPredicate::of).toList()))
          .withMessageContaining("one variable in any state");
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Clause(List.of(state)))
        .withMessageContaining("one variable in any state");
  }
}
