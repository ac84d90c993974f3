package io.palinode.cli.bench.stock;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.benchmarks.Spread;
import io.palinode.benchmarks.report.Verdict;
import io.palinode.cli.bench.BenchCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class StockCommandTest {
  @TempDir Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void aLoadThatCannotBeIsRefused() {
    assertThat(execute("--voldemort", folder.toString(), "--connections", "17")).isNotZero();
    assertThat(execute("--voldemort", folder.toString(), "--writes", "101")).isNotZero();
    assertThat(execute("--voldemort", folder.toString(), "--warm-up", "-1")).isNotZero();
    assertThat(err.toString()).contains("a warm-up must not be negative: seconds=-1.0");
  }

  @Test
  void theGoalIsMetOrMissedOnlyWhenTheWholeIntervalSaysSo() {
    assertThat(Verdict.atLeast(new Spread(2, 1.5, 3), 1.5)).isEqualTo(Verdict.MET);
    assertThat(Verdict.atLeast(new Spread(2, 1.4, 3), 1.5)).isEqualTo(Verdict.NOT_SURE);
    assertThat(Verdict.atLeast(new Spread(1, 0.9, 1.4), 1.5)).isEqualTo(Verdict.MISSED);
  }

  @Test
  @EnabledIfSystemProperty(named = "voldemort.home", matches = ".+")
  void bothServersArePrintedForEachLoad() throws Exception {
    int status =
        execute(
            "--voldemort",
            System.getProperty("voldemort.home"),
            "--keys",
            "500",
            "--connections",
            "1,2",
            "--client",
            "one",
            "--writes",
            "50",
            "--rounds",
            "2",
            "--seconds",
            "0.2",
            "--warm-up",
            "0.5");
    assertThat(status).as(err.toString()).isZero();
    assertThat(err.toString()).contains("warming up, 0.5 s of each");
    JsonNode rows = new ObjectMapper().readTree(out.toString()).path("rows");
    assertThat(rows).hasSize(2);
    assertThat(rows)
        .allSatisfy(
            row -> {
              assertThat(row.path("stock").path("operationsPerSecond").asDouble()).isPositive();
              assertThat(row.path("ours").path("operationsPerSecond").asDouble()).isPositive();
              assertThat(row.path("throughputRatio").has("median")).isTrue();
              assertThat(row.path("perServerCpuRatio").path("median").asDouble()).isPositive();
            });
  }

  private int execute(String... args) {
    String[] all = new String[args.length + 3];
    all[0] = "stock";
    System.arraycopy(args, 0, all, 1, args.length);
    all[args.length + 1] = "-o";
    all[args.length + 2] = "json";
    return new CommandLine(new BenchCommand())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(all);
  }
}
