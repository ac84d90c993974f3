package io.palinode.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.benchmarks.paper.PaperReport;
import io.palinode.benchmarks.paper.Row;
import io.palinode.benchmarks.paper.TableResult;
import io.palinode.cli.bench.paper.Budget;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** Ordinarily the smallest latency table; all tables of {@code --quick} in the nightly build. */
@Timeout(30 * 60)
class PaperIT {
  private static final boolean ALL = Boolean.getBoolean("palinode.it.paper");
  private static final Duration QUICK_MAX = Duration.ofMinutes(15);

  @Test
  void tablesAreComplete() {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    PaperCommand command = new PaperCommand(ALL ? Budget.QUICK : Budget.SMALLEST);
    String[] args = {"--quick", "-o", "json", "--table", "latency"};
    int status =
        new CommandLine(command)
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(ALL ? java.util.Arrays.copyOf(args, 3) : args);
    assertThat(status).as(err.toString()).isZero();
    PaperReport report = PaperReport.parse(out.toString());
    assertThat(report.tables()).allMatch(table -> table.problem().isEmpty());
    assertThat(report.tables().get(0).rows())
        .filteredOn(row -> row.id().equals("latency.under-1000"))
        .flatExtracting(Row::values)
        .isNotEmpty();
    assertThat(report.tables().stream().mapToDouble(TableResult::seconds).sum())
        .isLessThan((double) QUICK_MAX.toSeconds());
  }
}
