package io.palinode.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgeTest {
  @Test
  void aTimeBetweenTwoIsInMillisecondsBelowASecond() {
    assertThat(Age.between(1_000, 13_999)).isEqualTo("12 ms");
    assertThat(Age.between(1_000, 1_001_000)).isEqualTo("1 s");
    assertThat(Age.between(1_000, 500)).as("clocks differ").isEqualTo("0 ms");
  }

  private static final long NOW = 1_700_000_000_000_000L;

  @ParameterizedTest
  @CsvSource({
    "0, now",
    "999999, now",
    "-999999, now",
    "1000000, 1 s ago",
    "59999999, 59 s ago",
    "60000000, 1 min ago",
    "3599000000, 59 min ago",
    "3600000000, 1 h ago",
    "172799000000, 47 h ago",
    "172800000000, 2 d ago",
    "-180000000, in 3 min"
  })
  void anAgeIsGivenInItsLargestUnit(long micros, String text) {
    assertThat(Age.of(NOW - micros, NOW)).isEqualTo(text);
  }
}
