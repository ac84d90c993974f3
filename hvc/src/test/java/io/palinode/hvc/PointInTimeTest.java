package io.palinode.hvc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
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
    "12.7, 12.7",
    "2023-11-14T22:13:20.000001Z.7, 1700000000000001.7",
    "2023-11-14T22:13:20Z.4095, 1700000000000000.4095"
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
        "2026-11-21T12:00:00Z.",
        "2026-11-21T12:00:00Z.x",
        "2026-11-21T12:00:00Z.4096",
        "2026-11-21T12:00:00Z.-1",
        "2026-11-21T12:00:00.7",
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

  @ParameterizedTest
  @CsvSource({
    "1764091083123456, 2025-11-25T17:18:03.123456Z",
    "1764091083000000.4095, 2025-11-25T17:18:03.000000Z.4095",
    "0.1, 1970-01-01T00:00:00.000000Z.1"
  })
  void anHlcIsPrintedInUtcWithTheCounterThatIsNotZero(String hlc, String text) {
    assertThat(PointInTime.format(Hlc.parse(hlc))).isEqualTo(text);
  }

  @Test
  void whatIsPrintedIsReadAsTheSameHlc() {
    Random random = new Random(1);
    for (int i = 0; i < 10_000; i++) {
      long hlc = random.nextLong() & Long.MAX_VALUE;
      assertThat(PointInTime.parse(PointInTime.format(hlc), NOW)).isEqualTo(hlc);
    }
  }

  @Test
  void nothingIsBefore1970() {
    assertThatThrownBy(() -> PointInTime.parse("-100000d", NOW))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1970");
  }
}
