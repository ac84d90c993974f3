package io.palinode.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

@Timeout(60)
class LatencyCommandIT {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void everyViolationThatIsMadeArrivesAndNoOther() throws Exception {
    assertThat(run("--rates", "500,1000", "--seconds", "2", "--warm-up", "0", "-o", "json"))
        .isZero();
    JsonNode report = new ObjectMapper().readTree(out.toString());
    assertThat(report.at("/rows")).hasSize(2);
    assertThat(report.at("/rows/1/expected").asLong()).isEqualTo(20);
    assertThat(report.at("/rows/1/received").asLong()).isEqualTo(20);
    assertThat(report.at("/rows/1/detection/p50").asDouble()).isPositive();
    assertThat(report.at("/rows/1/kafkaAlone/p50").asDouble()).isPositive();
    assertThat(err.toString()).contains("measuring 1,000 candidates/s");
  }

  private int run(String... options) {
    return new CommandLine(new LatencyCommand())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(options);
  }
}
