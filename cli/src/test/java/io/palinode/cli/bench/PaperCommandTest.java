package io.palinode.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.benchmarks.paper.PaperReport;
import io.palinode.cli.bench.paper.Budget;
import io.palinode.terminal.Refusal;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class PaperCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path folder;

  @Test
  void eachTableIsListedAndNamedInTheHelp() {
    assertThat(paper("--list")).isZero();
    String help = new CommandLine(new PaperCommand()).getUsageMessage().replaceAll("\\s+", " ");
    for (String line : out.toString().lines().skip(1).toList()) {
      assertThat(help.substring(help.indexOf("Tables: ")))
          .contains(line.substring(0, line.indexOf(' ')));
    }
    assertThat(out.toString().lines().count()).isGreaterThan(5);
  }

  @Test
  void aReportIsWrittenAndComparesWithItself() throws IOException {
    assertThat(paper("--table", "scale", "--quick", "--report", folder + "/a", "-o", "json"))
        .isZero();
    PaperReport report = PaperReport.parse(out.toString());
    assertThat(report.seed()).isEqualTo(1);
    assertThat(report.environment().cores()).isPositive();
    assertThat(report.environment().jvm()).contains(System.getProperty("java.version"));
    Path json = folder.resolve("a/report.json");
    assertThat(PaperReport.parse(Files.readString(json))).isEqualTo(report);
    assertThat(folder.resolve("a/report.html")).content().contains("</html>", "16 terms");
    assertThat(err.toString()).contains("scale: nodes, round 1 of 2", "left)");
    assertThat(compare(json, json)).isZero();
    assertThat(out.toString()).contains("too few repetitions");
  }

  @Test
  void aFigureThatBecameWorseIsExitStatusOne() throws IOException {
    Path old = report("old.json", "[1, 2, 3, 4]");
    Path now = report("now.json", "[5, 6, 7, 8]");
    assertThat(compare(old, now)).isEqualTo(1);
    assertThat(out.toString()).contains("WORSE");
    assertThat(compare(now, old)).isZero();
  }

  @Test
  void whatIsNoReportIsRefusedWithItsName() throws IOException {
    Path page = Files.writeString(folder.resolve("page.html"), "<html>");
    assertThat(compare(page, page)).isEqualTo(2);
    assertThat(err.toString()).contains("page.html");
    assertThat(compare(folder.resolve("absent.json"), page)).isEqualTo(2);
    assertThat(err.toString()).contains("absent.json");
    assertThat(paper("--table", "nine")).isEqualTo(2);
    assertThat(err.toString()).contains("'nine'", "latency");
  }

  private Path report(String name, String values) throws IOException {
    String json =
        """
        {"format": 1, "began": "", "seed": 1, "size": "quick",
         "environment": {"palinode": "", "jvm": "", "os": "", "cores": 2, "memoryBytes": 1, "heapBytes": 1},
         "tables": [{"name": "t", "title": "t", "setting": "", "seconds": 1, "curves": [], "problem": "",
           "rows": [{"id": "a", "what": "a", "unit": "ms", "better": "LOWER", "paper": null,
             "values": %s, "alike": [], "note": ""}]}]}
        """
            .formatted(values);
    assertThat(new ObjectMapper().readTree(json)).isNotEmpty();
    return Files.writeString(folder.resolve(name), json);
  }

  private int paper(String... args) {
    return execute(new PaperCommand(Budget.SMALLEST), args);
  }

  private int compare(Path old, Path now) {
    return execute(new CompareCommand(), old.toString(), now.toString());
  }

  private int execute(Object command, String... args) {
    return new CommandLine(command)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionExceptionHandler(
            (e, line, result) -> {
              line.getErr().println(e.getMessage());
              return e instanceof Refusal ? 2 : 3;
            })
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(args);
  }
}
