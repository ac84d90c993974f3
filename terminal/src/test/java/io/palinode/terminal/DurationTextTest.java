package io.palinode.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.TypeConversionException;

class DurationTextTest {
  private final DurationText text = new DurationText();

  @Test
  void aDurationIsReadAndWrittenTheSameWay() {
    for (String some : List.of("30s", "10m", "2h", "7d", "90s", "0s")) {
      assertThat(DurationText.of(text.convert(some).toSeconds())).isEqualTo(some);
    }
    assertThat(text.convert("2h")).isEqualTo(Duration.ofHours(2));
  }

  @Test
  void aDurationThatIsTooLongIsRefusedWithItsLimit() {
    assertThat(text.convert("3650d")).isEqualTo(Duration.ofDays(3_650));
    assertThatThrownBy(() -> text.convert("200000d"))
        .isInstanceOf(TypeConversionException.class)
        .hasMessage("must be at most 3650d: '200000d'");
  }

  @Test
  void whatIsNoDurationIsRefusedWithTheForms() {
    for (String bad : List.of("", "10", "m", "-1m", "1.5h", "10 m", "1w")) {
      assertThatThrownBy(() -> text.convert(bad))
          .isInstanceOf(TypeConversionException.class)
          .hasMessage("must be like 30s, 10m, 2h or 7d: '" + bad + "'");
    }
  }
}
