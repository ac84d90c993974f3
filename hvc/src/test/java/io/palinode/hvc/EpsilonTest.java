package io.palinode.hvc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EpsilonTest {
  @ParameterizedTest
  @CsvSource({"10ms, 10000", "500us, 500", "500 µs, 500", "1s, 1000000", "0, 0", "0us, 0"})
  void textHasAUnit(String text, long micros) {
    assertThat(Epsilon.parse(text).micros()).isEqualTo(micros);
  }

  @ParameterizedTest
  @ValueSource(
      longs = {0, 1, 999, 1_000, 1_001, 10_000, 1L << 50, Long.MAX_VALUE - 1, Long.MAX_VALUE})
  void everyBoundCanBeWrittenAndReadAgain(long micros) {
    Epsilon epsilon = new Epsilon(micros);
    assertThat(Epsilon.parse(epsilon.toString())).isEqualTo(epsilon);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "10", "ms", "-1ms", "1.5ms", "10 hours", "99999999999999999999us"})
  void otherTextIsRefusedByName(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Epsilon.parse(text))
        .withMessageContaining("'" + text + "'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"9223372036854775807s", "9999999999999999999us"})
  void aBoundThatDoesNotFitIsRefused(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Epsilon.parse(text))
        .withMessageStartingWith("epsilon must be below 2^63 microseconds");
  }
}
