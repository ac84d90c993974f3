package io.palinode.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.benchmarks.Spread;
import io.palinode.benchmarks.report.Verdict;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class StoreOverheadCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void bothNodesArePrintedForEachLoad() throws Exception {
    int status =
        execute("--keys", "500", "--writes", "50,100", "--rounds", "2", "--seconds", "0.2");
    assertThat(status).isZero();
    JsonNode rows = new ObjectMapper().readTree(out.toString()).path("rows");
    assertThat(rows).hasSize(2);
    assertThat(rows)
        .allSatisfy(
            row -> {
              assertThat(row.path("off").path("operationsPerSecond").asDouble()).isPositive();
              assertThat(row.path("on").path("operationsPerSecond").asDouble()).isPositive();
              assertThat(row.path("throughputLost").has("median")).isTrue();
            });
    assertThat(err.toString()).contains("round 2 of 2");
  }

  @Test
  void aLoadThatCannotBeIsRefused() {
    assertThat(execute("--writes", "101")).isEqualTo(CommandLine.ExitCode.SOFTWARE);
  }

  @Test
  void theGoalIsMetOrMissedOnlyWhenTheWholeIntervalSaysSo() {
    assertThat(Verdict.of(new Spread(1, -1, 2), 2)).isEqualTo(Verdict.MET);
    assertThat(Verdict.of(new Spread(1, -1, 3), 2)).isEqualTo(Verdict.NOT_SURE);
    assertThat(Verdict.of(new Spread(4, 2.5, 6), 2)).isEqualTo(Verdict.MISSED);
  }

  private int execute(String... args) {
    String[] all = new String[args.length + 3];
    all[0] = "store-overhead";
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
