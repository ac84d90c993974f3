package io.palinode.predicate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.palinode.predicate.form.Predicates;
import io.palinode.predicate.template.Binding;
import io.palinode.predicate.template.Regex;
import io.palinode.predicate.template.Template;
import io.palinode.predicate.template.Value;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TermTest {
  @Test
  void aTermHoldsWhenKeyAndValueMatch() {
    Term term = term("cs_{a}_{b}_{a}", "1");
    assertThat(term.bind("cs_3_5_3", "1")).hasToString("a=3,b=5");
    assertThat(term.bind("cs_3_5_3", "0")).isNull();
    assertThat(term.bind("cs_3_5_5", "1")).isNull();
  }

  @Test
  void aValueBindsCapturesOfItsOwn() {
    Term term = term("cs_{a}_{b}_{a}", "c{k}");
    assertThat(term.bind("cs_3_5_3", "c7")).hasToString("a=3,b=5,k=7");
    assertThat(term.captures()).containsExactly("a", "b", "k");
  }

  @Test
  void aCaptureOfTheKeyConfinesTheValue() {
    Term term = term("next_{a}-", "{a}_{b}");
    assertThat(term.bind("next_1_2-", "1_2_3")).hasToString("a=1_2,b=3");
    assertThat(term.bind("next_1_2-", "1_3")).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "notEquals: '1';       0;      true",
        "notEquals: '1';       1;      false",
        "notEquals: '1';       ``;     true",
        "notEquals: 'c{a}';    c3;     false",
        "notEquals: 'c{a}';    c4;     true",
        "in: [x, 'c{b}'];      x;      true",
        "in: [x, 'c{b}'];      c5;     true",
        "in: [x, 'c{b}'];      c3;     false",
        "below: 10;            9.99;   true",
        "below: 10;            10;     false",
        "atMost: 10;           1e1;    true",
        "above: -1;            `-0.5\n`; true",
        "atLeast: 10;          9;      false",
        "atLeast: 10;          ten;    false",
        "below: 10;            ten;    false",
        "below: 10;            1e999999999; false",
        "matches: '[0-9]+';    0123;   true",
        "matches: '[0-9]+';    0123x;  false",
      })
  void aComparisonThatBindsNothingHoldsUnderTheKeysBinding(
      String comparison, String value, boolean holds) {
    Term term = Predicates.parse(yaml(comparison), "x").violation().get(0).terms().get(0);
    assertThat(term.bind("cs_3_5_3", value))
        .isEqualTo(holds ? new Binding(Map.of("a", "3", "b", "5")) : null);
    assertThat(term.bind("cs_3_5_5", value)).isNull();
    assertThat(term.captures()).containsExactly("a", "b");
  }

  @Test
  void aValueIsReadAsADecimalOnlyWhenATermAsks() {
    Value value = new Value("x");
    assertThat(value.isRefused()).isFalse();
    assertThat(value.decimal()).isNull();
    assertThat(value.isRefused()).isTrue();
  }

  @Test
  void aCaptureThatOnlyTheValueHasIsForEquals() {
    Template x = Template.parse("x_{a}");
    Comparison in = new Comparison.In(List.of(Template.parse("1"), Template.parse("{k}")));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Term(x, in))
        .withMessage(
            "a capture in in must be in the variable, for only equals binds by the value: 'k' is"
                + " not in 'x_{a}'");
  }

  @Test
  void whatWasGivenUpIsCountedOverKeyAndValue() {
    Term term = new Term(Template.parse("x"), new Comparison.Matches(Regex.parse("[a-z]*")));
    assertThat(term.bind("x", "a".repeat(Regex.STEPS_MAX))).isNull();
    assertThat(term.gaveUp()).isEqualTo(1);
  }

  private static String yaml(String comparison) {
    return """
        apiVersion: palinode.io/v1
        kind: Predicate
        metadata: {name: p}
        spec:
          forEach: {edge: "{a}_{b}"}
          violation:
            - all: [{var: "cs_{a}_{b}_{a}", %s}]
        """
        .formatted(comparison);
  }

  @Test
  void anEmptyVariableIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> term("", "1"))
        .withMessage("a variable must not be empty");
  }

  @Test
  void bindingsJoinUnlessTheyDisagree() {
    Binding ab = new Binding(Map.of("a", "1", "b", "2"));
    assertThat(ab.join(new Binding(Map.of("b", "2", "c", "3")))).hasToString("a=1,b=2,c=3");
    assertThat(ab.join(new Binding(Map.of("b", "3")))).isNull();
    assertThat(ab.join(Binding.NONE)).isEqualTo(ab);
    assertThat(Binding.NONE.join(ab)).isEqualTo(ab);
  }

  @Test
  void theTextOfABindingIsCanonicalAndUnambiguous() {
    assertThat(new Binding(Map.of("b", "x,y=\\z", "a", "1"))).hasToString("a=1,b=x\\,y\\=\\\\z");
    assertThat(Binding.NONE).hasToString("");
  }

  private static Term term(String variable, String value) {
    return new Term(Template.parse(variable), new Comparison.Equals(Template.parse(value)));
  }
}
