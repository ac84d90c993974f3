package io.palinode.predicate.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.math.BigDecimal;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DecimalTest {
  @ParameterizedTest
  @CsvSource({
    "0,             0",
    "-12.5,         -12.5",
    "+7,            7",
    "007,           7",
    ".5,            0.5",
    "5.,            5",
    "1e3,           1000",
    "1E+3,          1000",
    "-2.5e-1,       -0.25",
    "'  7\t\r\n',   7",
    "1e999,         1e999",
    "4.9E-324,      4.9e-324",
  })
  void aNumberIsReadWithoutTheSpaceAroundIt(String text, BigDecimal value) {
    assertThat(Decimal.parse(text).value()).isEqualByComparingTo(value);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "+",
        "-",
        ".",
        "e3",
        "1e",
        "1e+",
        "1 2",
        "- 1",
        "1,5",
        "0x1F",
        "NaN",
        "Infinity",
        "1_000",
        "1.2.3",
        "--1",
        "1e3.5",
        "٣",
        "1e99999",
        "1e00001",
        "1e1000",
        "1e-1000",
        "1e999999999",
        "1d"
      })
  void whatIsNoNumberOrOutOfBoundsIsNone(String text) {
    assertThat(Decimal.read(text)).isNull();
  }

  @Test
  void digitsAreBounded() {
    assertThat(Decimal.read("9".repeat(100))).isNotNull();
    assertThat(Decimal.read("9".repeat(101))).isNull();
    assertThat(Decimal.read("0." + "0".repeat(500) + "1")).isNull();
    assertThat(Decimal.read("1".repeat(10_000_000))).isNull();
    assertThat(Decimal.read(" ".repeat(1_000_000) + "1")).isEqualTo(Decimal.read("1"));
  }

  @Test
  void aNumberThatIsOutOfBoundsIsRefusedByName() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Decimal.parse("1e1000"))
        .withMessage(
            "a decimal must be a number like -12.5 or 1e3 with at most 100 digits and an exponent"
                + " within 999: '1e1000'");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Decimal(new BigDecimal("1e1000")))
        .withMessageStartingWith("a decimal must be");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Decimal.parse("x".repeat(1_000)))
        .withMessageEndingWith(": '" + "x".repeat(128) + "…'");
  }

  @Test
  void whatIsReadIsWrittenAndReadAgain() {
    for (long seed = 0; seed < 50_000; seed++) {
      Decimal decimal = Decimal.read(randomText(new Random(seed)));
      if (decimal != null) {
        assertThat(Decimal.read(decimal.toString())).as("seed %d", seed).isEqualTo(decimal);
      }
    }
  }

  /** The oracle is what BigDecimal takes, within the bounds. */
  @Test
  void readsWhatBigDecimalReads() {
    int numbers = 0;
    for (long seed = 0; seed < 50_000; seed++) {
      String text = randomText(new Random(seed));
      BigDecimal expected = byBigDecimal(text);
      Decimal decimal = Decimal.read(text);
      assertThat(decimal == null ? null : decimal.value())
          .as("seed %d: '%s'", seed, text)
          .isEqualTo(expected);
      numbers += expected == null ? 0 : 1;
    }
    assertThat(numbers).isBetween(5_000, 45_000);
  }

  private static @Nullable BigDecimal byBigDecimal(String text) {
    try {
      BigDecimal value = new BigDecimal(text);
      int exponent = value.precision() - value.scale() - 1;
      boolean longExponent = text.matches(".*[eE][-+]?[0-9]{5,}");
      return longExponent || Math.abs(exponent) > Decimal.EXPONENT_MAX ? null : value;
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private static String randomText(Random random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(10); i >= 0; i--) {
      text.append("0123456789012345.-+eE".charAt(random.nextInt(random.nextInt(3) + 18)));
    }
    return text.toString();
  }
}
