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
            .execute(
                "snapshot",
                "--keys",
                "500",
                "--seconds",
                "1",
                "--back",
                "2",
                "--share",
                "1",
                "--rounds",
                "2",
                "-o",
                "json");
    assertThat(status).isZero();
    JsonNode results = new ObjectMapper().readTree(out.toString()).path("results");
    assertThat(results)
        .extracting(result -> result.path("what").asText())
        .containsExactly("2 s back", "instant", "incremental", "rolling", "nothing");
    assertThat(results)
        .allSatisfy(result -> assertThat(result.path("durationMs").asDouble()).isPositive());
    // Of that time there is no key that another one hides: each has been set, most of them anew.
    assertThat(results.get(0).path("changed").asLong()).isEqualTo(3 * 500);
    assertThat(results.get(1).path("changed").asLong()).isEqualTo(3 * 500);
  }
}
