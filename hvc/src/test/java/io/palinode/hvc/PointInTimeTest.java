package io.palinode.hvc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PointInTimeTest {
  private static final long NOW = 1_700_000_000_000_000L;

  @ParameterizedTest
  @CsvSource({
    "now, 1700000000000000",
    "-0s, 1700000000000000",
    "-30s, 1699999970000000",
    "-1.5s, 1699999998500000",
    "-250us, 1699999999999750",
    "-20ms, 1699999999980000",
    "-1m30s, 1699999910000000",
    "-2h, 1699992800000000",
    "-1d, 1699913600000000",
    "2023-11-14T22:13:20Z, 1700000000000000",
    "2023-11-14T23:13:20.000001+01:00, 1700000000000001",
    "1970-01-01T00:00:00Z, 0",
    "1700000000000000, 1700000000000000",
    "12.7, 12.7"
  })
  void eachFormIsATime(String text, String hlc) {
    assertThat(Hlc.format(PointInTime.parse(text, NOW))).isEqualTo(hlc);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "soon",
        "30s",
        "-30",
        "-30x",
        "-s",
        "+30s",
        "2026-11-21",
        "2026-11-21T12:00:00",
        "2026-02-30T00:00:00Z",
        "1960-01-01T00:00:00Z",
        "1.2.3",
        "-",
        "now+1s"
      })
  void whatIsNoTimeIsRefusedWithTheForms(String text) {
    assertThatThrownBy(() -> PointInTime.parse(text, NOW))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-30s")
        .hasMessageEndingWith("'" + text + "'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"12.4096", "99999999999999999999", "4503599627370496"})
  void anHlcOutOfItsRangeIsRefused(String text) {
    assertThatThrownBy(() -> PointInTime.parse(text, NOW))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(text);
  }

  @Test
  void nothingIsBefore1970() {
    assertThatThrownBy(() -> PointInTime.parse("-100000d", NOW))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1970");
  }
}
