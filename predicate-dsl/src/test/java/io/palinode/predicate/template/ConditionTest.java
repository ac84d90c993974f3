package io.palinode.predicate.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.palinode.predicate.template.Condition.Capture;
import io.palinode.predicate.template.Condition.Constant;
import io.palinode.predicate.template.Condition.Operator;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConditionTest {
  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "{a} = {b},    7,   7,   true",
        "{a} = {b},    7,   7.0, false",
        "{a} != {b},   7,   7.0, true",
        "{a} != {b},   7,   7,   false",
        "{a} < {b},    9,   10,  true",
        "{a} < {b},    10,  10,  false",
        "{a} <= {b},   10,  1e1, true",
        "{a} > {b},    -1,  -2,  true",
        "{a} >= {b},   2,   3,   false",
        "{a} < {b},    x,   3,   false",
        "{a} >= {b},   x,   3,   false",
        "{a}<5,        4,   x,   true",
        "5 < {a},      4,   x,   false",
        "{a} = c7,     c7,  x,   true",
        "{a}='c 7',    c 7, x,   true",
        "'it''s' = {a}, it's, x, true",
        "  {a}  !=  -  , -,  x,   false",
      })
  void equalityIsOfTextAndOrderOfDecimals(String text, String a, String b, boolean holds) {
    Binding binding = new Binding(Map.of("a", a, "b", b));
    assertThat(Condition.parse(text).holds(binding)).isEqualTo(holds);
  }

  @Test
  void onlyAnOrderRefusesWhatIsNoDecimal() {
    Binding binding = new Binding(Map.of("a", "x", "b", "3"));
    assertThat(Condition.parse("{a} < {b}").refuses(binding)).isTrue();
    assertThat(Condition.parse("{b} < 3").refuses(binding)).isFalse();
    assertThat(Condition.parse("{a} = {b}").refuses(binding)).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "{a}={b},        {a} = {b}",
        "{a}<=  10.50,   {a} <= 10.50",
        "{a} != 'x',     {a} != x",
        "{a} != '',      {a} != ''",
        "{a} != 'a b''', {a} != 'a b'''",
        "{a} != '<',     {a} != '<'",
      })
  void theTextIsCanonical(String text, String canonical) {
    Condition condition = Condition.parse(text);
    assertThat(condition).hasToString(canonical);
    assertThat(Condition.parse(canonical)).isEqualTo(condition);
  }

  @Test
  void aConditionIsBoundedInLength() {
    refused(
        "{a} = " + "x".repeat(507), "a condition must have at most 512 characters: characters=513");
    Constant quotes = new Constant("'".repeat(300));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Condition(new Capture("a"), Operator.EQUAL, quotes))
        .withMessage("a condition must have at most 512 characters: characters=608");
  }

  @Test
  void anOrderWithAConstantNeedsADecimal() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Condition.parse("1e1000 > {a}"))
        .withMessageStartingWith("a decimal must be a number");
    assertThat(Condition.parse("1e1000 = {a}").captures()).containsExactly("a");
  }

  @ParameterizedTest
  @CsvSource({"==,=", "<>,!=", "=<,<=", "=>,>=", "≠,!=", "≥,>=", "!,!="})
  void anOperatorOfAnotherLanguageIsRefusedWithOurs(String theirs, String ours) {
    refused(
        "{a} " + theirs + " 1",
        "an operator must be one of = != < <= > >=, not '"
            + theirs
            + "'; did you mean '"
            + ours
            + "'?: character 5 of '{a} "
            + theirs
            + " 1'");
  }

  private static void refused(String text, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Condition.parse(text))
        .withMessage(message);
  }
}
