package io.palinode.predicate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.predicate.form.Predicates;
import io.palinode.predicate.text.PredicateException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LostUpdateTest {
  private static final String YAML =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata:
        name: no-lost-update
      spec:
        type: conjunctive
        uncertainty: conservative
        replicas: first
        forEach:
          account: "{a}"
        violation:
          - all:
              - {store: "bank", var: "balance_{a}", lostUpdate: true}
        onViolation:
          rollback: {scope: all, to: before-violation}
          rollbackOn: possible
          alertOn: possible
          alert: [console]
      """;
  private static final String XML =
      """
      <predicate xmlns="https://palinode.io/v1" name="no-lost-update">
        <forEach name="account">{a}</forEach>
        <violation>
          <all><term store="bank" var="balance_{a}" lostUpdate="true"/></all>
        </violation>
        <onViolation><rollback scope="all" to="before-violation"/></onViolation>
      </predicate>
      """;

  @Test
  void itIsATermOfAVersionAndOfNoValue() {
    Predicate predicate = Predicates.parse(YAML, "p.yaml");
    Clause clause = predicate.violation().get(0);
    assertThat(clause.isOfLostUpdates()).isTrue();
    assertThat(clause.terms().get(0).bind("balance_7", "true")).isNull();
  }

  @Test
  void bothFormsAreOfOneModel() {
    Predicate predicate = Predicates.parse(YAML, "p.yaml");
    assertThat(Predicates.parse(XML, "p.xml")).isEqualTo(predicate);
    assertThat(Predicates.toYaml(predicate)).isEqualTo(YAML);
    assertThat(Predicates.parse(Predicates.toXml(predicate), "p.xml")).isEqualTo(predicate);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "all: [{var: x, lostUpdate: true}, {var: y, equals: 1}] | must be the only term",
        "all: [{var: x, lostUpdate: true}] NEXT for: 1s | must be the only term",
        "atLeast: {count: 1, of: [{var: x, lostUpdate: true}]} | must be the only term",
        "within: {time: 1s, after: {var: x, lostUpdate: true}, missing: {var: y, equals: 1}}"
            + " | must be the only term",
        "all: [{var: x, lostUpdate: false}] | lostUpdate must be true",
        "all: [{var: x, lostUpdate: true, equals: 1}] | exactly one comparison"
      })
  void whatNodesCannotPublishIsRefused(String clause, String reason) {
    String text =
        """
        apiVersion: palinode.io/v1
        kind: Predicate
        metadata: {name: p}
        spec:
          violation:
            -\s"""
            + clause.replace(" NEXT ", "\n      ")
            + "\n";
    assertThatThrownBy(() -> Predicates.parse(text, "p.yaml"))
        .isInstanceOf(PredicateException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void eachTermOfAnyIsAClauseByItself() {
    Predicate predicate =
        Predicates.parse(
            """
            apiVersion: palinode.io/v1
            kind: Predicate
            metadata: {name: p}
            spec:
              violation:
                - any: [{var: x, lostUpdate: true}, {var: y, equals: 1}]
            """,
            "p.yaml");
    assertThat(predicate.violation())
        .extracting(Clause::isOfLostUpdates)
        .containsExactly(true, false);
  }
}
