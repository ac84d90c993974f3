package io.palinode.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class DetectionCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void everyCaseIsPrintedInJson() throws Exception {
    assertThat(run("--only", "terms", "-o", "json")).isZero();
    JsonNode report = new ObjectMapper().readTree(out.toString());
    assertThat(report.at("/rows")).hasSize(4);
    assertThat(report.at("/rows/0/detection/candidatesPerSecond").asDouble()).isPositive();
    assertThat(report.at("/rows/0/reports").asLong()).isPositive();
  }

  @Test
  void theTableIsOnStandardOutputAndProgressOnStandardError() throws Exception {
    assertThat(run("--only", "terms")).isZero();
    assertThat(out.toString()).contains("candidates/s").doesNotContain("measuring");
    assertThat(err.toString()).contains("measuring 1 of 4");
  }

  @Test
  void operationsAreComparedWithAConjunctionAndShowWhatTheyPay() throws Exception {
    assertThat(run("--only", "lost,stale")).isZero();
    assertThat(out.toString())
        .contains("of a conjunction", "put that loses an update", "stale get");
  }

  private int run(String... options) {
    String[] quick = {
      "detection",
      "--candidates",
      "500",
      "--rounds",
      "1",
      "--warm-up-seconds",
      "0",
      "--round-seconds",
      "0"
    };
    String[] args =
        java.util.stream.Stream.of(quick, options)
            .flatMap(java.util.Arrays::stream)
            .toArray(String[]::new);
    return new CommandLine(new BenchCommand())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(args);
  }
}
