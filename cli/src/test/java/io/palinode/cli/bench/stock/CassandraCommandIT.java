package io.palinode.cli.bench.stock;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.cli.bench.BenchCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Two real servers. With -Pnightly only. */
@EnabledIfSystemProperty(named = "palinode.cassandra.nodes", matches = "3")
class CassandraCommandIT {
  private static final Path CLASS_PATH = Path.of("../cassandra/server/target/classpath.txt");

  @TempDir private Path folder;

  @Test
  void eachModeIsPrintedForEachLoad() throws Exception {
    for (String jar : Files.readString(CLASS_PATH).strip().split(":", -1)) {
      Path file = Path.of(jar);
      Files.createSymbolicLink(folder.resolve(file.getFileName()), file);
    }
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine bench =
        new CommandLine(new BenchCommand())
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err));
    int status =
        bench.execute(
            "cassandra",
            "--cassandra",
            folder.toString(),
            "--jar",
            "../cassandra/target/palinode-cassandra.jar",
            "--keys",
            "200",
            "--writes",
            "50",
            "--rounds",
            "2",
            "--seconds",
            "0.5",
            "--warm-up",
            "1",
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
