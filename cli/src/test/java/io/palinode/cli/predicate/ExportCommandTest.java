package io.palinode.cli.predicate;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.cli.Refusals;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The log as it is written, and that its own first line parses it. */
class ExportCommandTest {
  private static final String TRACE =
      """
      {"predicate":"p","clause":0,"term":0,"node":0,"seq":1,"start":["100","0"],"end":["200","0"],"values":{"x":"1\\n2"}}

      {"predicate":"p","binding":"a=1","clause":0,"term":1,"node":1,"seq":1,"start":["200","300"]}
      """;

  @TempDir Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void aWitnessIsDrawnWithItsValues() throws IOException {
    assertThat(export(golden())).isZero();
    assertThat(out)
        .hasToString(
            """
            (?<event>.*)\\n(?<host>\\S+) (?<hlc>\\S+) (?<clock>\\{.*\\})

            writes cs_1_2_1 = 1
            client-7 - {"client-7":1}
            term 0 holds: cs_1_2_1 = 1
            node1 1000.3 {"node1":1, "client-7":1}
            term 1 holds: cs_1_2_2 = 1
            node2 1100 {"node2":1}
            term 0 holds no longer
            node1 1200 {"node1":2, "client-7":1}
            term 1 holds no longer
            node2 1300 {"node2":2}
            """);
  }

  @Test
  void aTraceIsDrawnAndItsFirstLineParsesIt() throws IOException {
    assertThat(export(TRACE)).isZero();
    List<String> lines = out.toString().lines().toList();
    assertThat(lines.get(1)).isEmpty();
    Matcher events =
        Pattern.compile(lines.get(0)).matcher(String.join("\n", lines.subList(2, lines.size())));
    List<String> found = new ArrayList<>();
    while (events.find()) {
      found.add(events.group("event") + " @" + events.group("host") + events.group("clock"));
    }
    assertThat(found)
        .containsExactly(
            "clause 0 term 0 holds: x = 1\u00b72 @node0{\"node0\":1}",
            "clause 0 term 0 holds no longer @node0{\"node0\":2}",
            "clause 0 term 1 with a=1 holds, open to the end @node1{\"node0\":2, \"node1\":1}");
  }

  @Test
  void intervalsAroundAreThoseOfACluster() {
    assertThat(run("", "--around", "w.json")).isEqualTo(2);
    assertThat(err.toString()).contains("--around needs a cluster: name a violation with");
  }

  @Test
  void oneThingIsExported() {
    assertThat(run("")).isEqualTo(2);
    assertThat(run("", "--violation", "1", "w.json")).isEqualTo(2);
    assertThat(err.toString()).contains("export one thing");
  }

  @Test
  void whatIsNeitherIsRefusedWithItsPlace() throws IOException {
    assertThat(export("{}")).isEqualTo(2);
    assertThat(err.toString()).contains("f:1:1: must have the field 'apiVersion'");
    assertThat(export("no JSON")).isEqualTo(2);
    assertThat(export(TRACE.replace("\"term\":1", "\"term\":x"))).isEqualTo(2);
    assertThat(err.toString()).contains("line 3 of ");
    assertThat(run(TRACE, "-")).isZero();
    assertThat(run("", "none.json")).isEqualTo(2);
    assertThat(err.toString()).contains("no such file: none.json");
  }

  private int export(String text) throws IOException {
    return run("", Files.writeString(folder.resolve("f"), text).toString());
  }

  private int run(String input, String... args) {
    out.getBuffer().setLength(0);
    ExportCommand command =
        new ExportCommand(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)));
    CommandLine line = new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true);
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err, true));
    line.setExecutionExceptionHandler(
        (failure, its, parsed) -> {
          boolean refused = Refusals.isRefusal(failure);
          err.write(Refusals.sentence(failure, refused));
          return refused ? 2 : 1;
        });
    return line.execute(args);
  }

  private static String golden() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            ExportCommandTest.class.getResourceAsStream("/witness/witness-v1.json"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
