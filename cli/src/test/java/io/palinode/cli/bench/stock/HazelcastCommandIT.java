package io.palinode.cli.bench.stock;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.hazelcast.core.HazelcastInstance;
import io.palinode.cli.bench.BenchCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Two clusters of real members. With -Pnightly only. */
@Tag("slow")
class HazelcastCommandIT {
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void realMembersAreMeasuredInEachMode(int members) throws Exception {
    String jar =
        HazelcastInstance.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine bench =
        new CommandLine(new BenchCommand())
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err));
    int status =
        bench.execute(
            "hazelcast",
            "--hazelcast",
            jar,
            "--agent",
            "../hazelcast-agent/target/hazelcast-agent.jar",
            "--keys",
            "200",
            "--writes",
            "50",
            "--rounds",
            "2",
            "--seconds",
            "0.2",
            "--warm-up",
            "0.5",
            "--members",
            Integer.toString(members),
            "-o",
            "json");
    assertThat(status).as(err.toString()).isZero();
    JsonNode rows = new ObjectMapper().readTree(out.toString()).path("rows");
    assertThat(rows).hasSize(4);
    for (JsonNode row : rows) {
      assertThat(row.path("side").path("operationsPerSecond").asDouble()).isPositive();
    }
  }
}
