package io.palinode.predicate.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class BindingTest {
  private static final String CHARACTERS = "ab=,\\ {}ü";

  @Test
  void aBindingIsReadFromItsText() {
    assertThat(Binding.parse("a=3,b=5")).isEqualTo(new Binding(Map.of("a", "3", "b", "5")));
    assertThat(Binding.parse("")).isEqualTo(Binding.NONE);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Binding.parse("a"))
        .withMessage("a binding must be like a=3,b=5: 'a'");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Binding.parse("a=1,b=2,a=1"))
        .withMessage("a binding must hold each capture once: 'a=1,b=2,a=1'");
  }

  @Test
  void everyTextIsReadAsTheBindingThatWroteIt() {
    for (long seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      Map<String, String> values = new TreeMap<>();
      for (int i = random.nextInt(4); i > 0; i--) {
        values.put("c" + i, text(random));
      }
      Binding binding = new Binding(values);
      assertThat(Binding.parse(binding.toString())).as("seed=%d", seed).isEqualTo(binding);
    }
  }

  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    for (int length = 1 + random.nextInt(6); length > 0; length--) {
      text.append(CHARACTERS.charAt(random.nextInt(CHARACTERS.length())));
    }
    return text.toString();
  }
}
