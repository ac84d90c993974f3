package io.palinode.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Whole runs of the benchmark. With -Pnightly only. */
@Tag("slow")
class WindowLogCommandIT {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void everyFigureAndGoalIsPrintedInJson() throws Exception {
    assertThat(run("-o", "json")).isZero();
    JsonNode report = new ObjectMapper().readTree(out.toString());
    assertThat(report.at("/cases")).hasSize(2);
    // So few entries weigh less than other objects on this heap, so the sign is not certain.
    assertThat(report.at("/cases/0/figures/ALONE/memory/keptBytes").isNumber()).isTrue();
    assertThat(report.at("/cases/1/figures/LINKED/diffs/0/keys").asInt())
        .isEqualTo(report.at("/cases/1/figures/ALONE/diffs/0/keys").asInt())
        .isPositive();
    assertThat(report.at("/cases/0/goals/HELPED/0/met").isBoolean()).isTrue();
  }

  @Test
  void whetherAGoalIsMetIsInTheTextAndProgressOnStandardError() {
    assertThat(run()).isZero();
    assertThat(out.toString()).contains("met", "at least 3.5 times").doesNotContain("measuring");
    assertThat(err.toString()).contains("measuring 8/8 bytes: warming up");
  }

  private int run(String... options) {
    String[] quick = {"windowlog", "--entries", "10000", "--rounds", "1"};
    String[] args =
        java.util.stream.Stream.of(quick, options)
            .flatMap(java.util.Arrays::stream)
            .toArray(String[]::new);
    return new CommandLine(new BenchCommand())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setOverwrittenOptionsAllowed(true)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(args);
  }
}
