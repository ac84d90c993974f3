package io.palinode.predicate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;

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
