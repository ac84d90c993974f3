package io.palinode.predicate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.predicate.form.Predicates;
import io.palinode.predicate.text.PredicateException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class WithinTest {
  private static final String YAML =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata:
        name: unanswered
      spec:
        type: semilinear
        uncertainty: conservative
        replicas: any
        forEach:
          order: "{id}"
        violation:
          - within:
              time: 5s
              after: {var: "order_{id}", equals: "paid"}
              missing: {store: "parcels", var: "parcel_{id}", in: ["sent", "lost"]}
        onViolation:
          rollback: none
          rollbackOn: possible
          alertOn: possible
          alert: [console]
      """;
  private static final String XML =
      """
      <predicate xmlns="https://palinode.io/v1" name="unanswered">
        <forEach name="order">{id}</forEach>
        <violation>
          <within time="5s">
            <after var="order_{id}" equals="paid"/>
            <missing store="parcels" var="parcel_{id}"><in>sent</in><in>lost</in></missing>
          </within>
        </violation>
      </predicate>
      """;

  @Test
  void itsTermsAreTheTriggerAndTheAnswer() {
    Predicate predicate = Predicates.parse(YAML, "p.yaml");
    Clause clause = predicate.violation().get(0);
    assertThat(clause.rule()).isEqualTo(new ClauseRule.Within(Duration.ofSeconds(5)));
    assertThat(clause.terms())
        .extracting(term -> term.variable().toString())
        .containsExactly("order_{id}", "parcel_{id}");
    assertThat(predicate.replicas()).isEqualTo(ReplicaRule.ANY);
  }

  /** The text is the canonical one. */
  @Test
  void bothFormsAreOnePredicate() {
    assertThat(Predicates.parse(XML, "p.xml")).isEqualTo(Predicates.parse(YAML, "p.yaml"));
    assertThat(Predicates.toYaml(Predicates.parse(XML, "p.xml"))).isEqualTo(YAML);
  }

  @Test
  void anXmlFormWithoutTheAnswerIsRefused() {
    String xml = XML.replaceAll("<missing.*</missing>", "");
    assertThatThrownBy(() -> Predicates.parse(xml, "p.xml"))
        .isInstanceOf(PredicateException.class)
        .hasMessageContaining("needs 'after' and 'missing'");
  }

  @Test
  void aRollbackMayGoToBeforeTheTrigger() {
    String yaml =
        YAML.replace("rollback: none", "rollback: {scope: all, to: before-first-witness}");
    assertThat(Predicates.parse(yaml, "p.yaml").onViolation().rollbackTo())
        .isEqualTo(OnViolation.RollbackTarget.BEFORE_FIRST_WITNESS);
  }

  @Test
  void itHasExactlyTwoTerms() {
    List<LocalPredicate> three = List.of(part("x"), part("y"), part("z"));
    ClauseRule rule = new ClauseRule.Within(Duration.ofSeconds(1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Clause(rule, three))
        .withMessageContaining("terms=3");
  }

  private static LocalPredicate part(String variable) {
    return LocalPredicate.of(
        new Term(
            io.palinode.predicate.template.Template.parse(variable),
            new Comparison.Equals(io.palinode.predicate.template.Template.parse("1"))));
  }
}
