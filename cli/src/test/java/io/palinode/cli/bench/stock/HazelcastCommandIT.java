package io.palinode.cli.bench.stock;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.hazelcast.core.HazelcastInstance;
import io.palinode.cli.bench.BenchCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Two clusters of real members. With -Pnightly only. */
@Tag("slow")
class HazelcastCommandIT {
  private static final int KEYS = 200;
  private static final int VALUE_BYTES = 100;

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void realMembersAreMeasuredInEachMode(int members) throws Exception {
    JsonNode rows = run("--writes", "50", "--members", Integer.toString(members)).path("rows");
    assertThat(rows).hasSize(4);
    for (JsonNode row : rows) {
      assertThat(row.path("side").path("operationsPerSecond").asDouble()).isPositive();
    }
  }

  @Test
  void snapshotsOfRealMembersAreMeasuredAndHaveEachCopyOfAKey() throws Exception {
    JsonNode report = run("--snapshots", "--back", "1", "--members", "2");
    JsonNode rows = report.path("rows");
    assertThat(rows).hasSize(3);
    for (int i = 0; i < 2; i++) {
      JsonNode taken = rows.get(i).path("kind").path("taken");
      assertThat(taken.path("keys").asLong()).isEqualTo(2 * KEYS);
      assertThat(taken.path("ms").asDouble()).isPositive();
    }
    assertThat(rows.get(2).path("kind").path("taken").path("keys").asLong()).isZero();
    assertThat(report.path("reachSeconds").asDouble()).isPositive();
    assertThat(report.path("log").path("bytesPerChange").asDouble()).isGreaterThan(2 * VALUE_BYTES);
  }

  @Test
  void clientsChangeNoMoreThanTheRate() throws Exception {
    JsonNode log = run("--snapshots", "--back", "1", "--rate", "40").path("log");
    // What is due at the begin of a round is one more.
    assertThat(log.path("changesPerSecond").asDouble()).isBetween(1.0, 60.0);
  }

  private static JsonNode run(String... options) throws Exception {
    String jar =
        HazelcastInstance.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    List<String> all = new ArrayList<>(List.of("hazelcast", "--hazelcast", jar));
    all.addAll(List.of("--agent", "../hazelcast-agent/target/hazelcast-agent.jar"));
    all.addAll(List.of("--keys", Integer.toString(KEYS)));
    all.addAll(List.of("--value-bytes", Integer.toString(VALUE_BYTES)));
    all.addAll(List.of("--rounds", "2", "--seconds", "0.2", "--warm-up", "0.5", "-o", "json"));
    all.addAll(List.of(options));
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine bench =
        new CommandLine(new BenchCommand())
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err));
    int status = bench.execute(all.toArray(String[]::new));
    assertThat(status).as(err.toString()).isZero();
    return new ObjectMapper().readTree(out.toString());
  }
}
