package io.palinode.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class SnapshotBenchCommandTest {
  @Test
  void everyKindIsToldInJson() throws Exception {
    StringWriter out = new StringWriter();
    int status =
        new CommandLine(new BenchCommand())
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(new StringWriter()))
            .execute("snapshot", "--keys", "500", "--seconds", "1", "-o", "json");
    assertThat(status).isZero();
    JsonNode results = new ObjectMapper().readTree(out.toString()).path("results");
    assertThat(results).hasSize(4);
    assertThat(results)
        .allSatisfy(result -> assertThat(result.path("durationMs").asDouble()).isPositive());
    assertThat(results.get(0).path("changed").asLong()).isEqualTo(3 * 500);
    assertThat(results.get(3).path("what").asText()).isEqualTo("rolling");
  }
}
