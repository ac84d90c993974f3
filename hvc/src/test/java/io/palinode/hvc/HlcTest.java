package io.palinode.hvc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HlcTest {
  @ParameterizedTest(name = "{0}: last={1} now={2} received={3} -> {4}")
  @CsvSource({
    "time has moved on,            1000.7, 1001, -,      1001",
    "time stands still,            1000.7, 1000, -,      1000.8",
    "time went back,               1000.7,  900, -,      1000.8",
    "the counter carries,          1000.4095, 1000, -,   1001",
    "a message from the past,      1000.7, 1001, 990.3,  1001",
    "a message from the future,    1000.7, 1001, 1005.2, 1005.3",
    "a message of the same moment, 1000.7, 1000, 1000.7, 1000.8",
    "a carry by a message,         1000.7, 1001, 1005.4095, 1006",
  })
  void anEventIsAfterAllBeforeItAndNotBehindPhysicalTime(
      String name, String last, long now, String received, String expected) {
    long ticked =
        received.equals("-")
            ? Hlc.tick(Hlc.parse(last), now)
            : Hlc.tick(Hlc.parse(last), now, Hlc.parse(received));
    assertThat(Hlc.format(ticked)).as(name).isEqualTo(expected);
  }

  @Test
  void theTextFormIsInvertedByParse() {
    Random random = new Random(1);
    for (int i = 0; i < 10_000; i++) {
      long hlc = random.nextLong() & Long.MAX_VALUE;
      assertThat(Hlc.parse(Hlc.format(hlc))).isEqualTo(hlc);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "-1", "x", "1.", "1.4096", "1.-1", "99999999999999999", "1.2.3"})
  void whatIsNoTimestampIsRefusedByItsText(String text) {
    assertThatThrownBy(() -> Hlc.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "'");
  }

  @ParameterizedTest
  @CsvSource({
    "10ms, 10000, 10ms",
    "500us, 500, 500us",
    "1s, 1000000, 1000ms",
    "0, 0, 0",
    "1500us, 1500, 1500us"
  })
  void epsilonIsReadWithItsUnit(String text, long micros, String canonical) {
    assertThat(Epsilon.parse(text).micros()).isEqualTo(micros);
    assertThat(Epsilon.parse(text)).hasToString(canonical);
    assertThat(Epsilon.parse(canonical)).isEqualTo(Epsilon.parse(text));
  }

  @Test
  void infinityIsNoBound() {
    assertThat(Epsilon.parse("inf").isInfinite()).isTrue();
    assertThat(Epsilon.INFINITE).hasToString("inf");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "10", "ms", "-1ms", "10 minutes", "1e3ms"})
  void whatIsNoEpsilonIsRefusedByItsText(String text) {
    assertThatThrownBy(() -> Epsilon.parse(text)).hasMessageContaining("'" + text + "'");
  }
}
