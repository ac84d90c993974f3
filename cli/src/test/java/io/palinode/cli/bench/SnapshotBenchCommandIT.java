package io.palinode.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** A whole run of the benchmark. With -Pnightly only. */
@Tag("slow")
class SnapshotBenchCommandIT {
  @Test
  void everyKindIsPrintedInJson() throws Exception {
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
                "--changed",
                "10,100",
                "--rounds",
                "2",
                "-o",
                "json");
    assertThat(status).isZero();
    JsonNode all = new ObjectMapper().readTree(out.toString()).path("results");
    JsonNode results = all.path("kinds");
    assertThat(results)
        .extracting(result -> result.path("what").asText())
        .containsExactly("2 s back", "instant", "incremental", "rolling", "nothing");
    assertThat(results)
        .allSatisfy(result -> assertThat(result.path("durationMs").asDouble()).isPositive());
    // At that time each key is set, most of them more than once.
    assertThat(results.get(0).path("changed").asLong()).isEqualTo(3 * 500);
    assertThat(results.get(1).path("changed").asLong()).isEqualTo(3 * 500);
    JsonNode costs = all.path("costs");
    assertThat(costs)
        .extracting(cost -> cost.path("what").asText() + " " + cost.path("writes").asInt())
        .containsExactly(
            "instant 10",
            "incremental 10",
            "rolling 10",
            "first of two 10",
            "second of two 10",
            "instant 100",
            "incremental 100",
            "rolling 100",
            "first of two 100",
            "second of two 100");
    assertThat(costs.get(0).path("keys").asLong()).isEqualTo(3 * 500);
    assertThat(costs.get(1).path("keys").asLong()).isPositive().isLessThanOrEqualTo(3 * 10);
    // The first reads all keys, and the second what differs from it.
    assertThat(costs.get(3).path("keys").asLong()).isEqualTo(3 * 500);
    assertThat(costs.get(4).path("keys").asLong()).isPositive().isLessThanOrEqualTo(3 * 10);
  }
}
