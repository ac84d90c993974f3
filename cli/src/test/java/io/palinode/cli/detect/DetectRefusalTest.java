package io.palinode.cli.detect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is not a trace of the predicate is refused with its place and the reason. */
class DetectRefusalTest extends DetectFixture {
  @ParameterizedTest(name = "{0} {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "a=3 | | 'binding' must give each of the captures [a, b] a text, and no other: binding=a=3",
        "a=3,b=5,c=1 | | 'binding' must give each of the captures [a, b] a text, and no other",
        "a=3,c=5 | | 'binding' must give each of the captures [a, b] a text, and no other",
        "a=3,b= | | 'binding' must give each of the captures [a, b] a text, and no other",
        "`` | | 'binding' must give each of the captures [a, b] a text, and no other: binding=",
        "a=3,a=5 | | a binding must hold each capture once: 'a=3,a=5'",
        "a | | a binding must be like a=3,b=5: 'a'",
        "a=3,b=3 | | 'binding' breaks the condition {a} != {b} of the predicate: binding=a=3,b=3",
        "a=3,b=5 | \"x_3_5\":\"2\" | 'values' must make term 0 true: x_3_5=2",
        "a=3,b=5 | \"x_3_6\":\"1\" | 'values' must be of the instance in 'binding', not of"
            + " 'a=3,b=6': binding=a=3,b=5",
        "a=3,b=5 | \"y_3_5\":\"1\" | 'values' must hold the variable 'x_{a}_{b}' of term 0: y_3_5",
        "a=3,b=5 | \"x_3_5\":\"1\",\"y_3_5\":\"1\" | 'values' must hold the variable 'x_{a}_{b}'",
        "a=3,b=5 | \"x_3_5\":true | 'values' must hold texts: x_3_5=true",
      })
  void aBindingOrValueThatThePredicateDoesNotHaveIsRefused(
      String binding, @org.jspecify.annotations.Nullable String values, String reason)
      throws IOException {
    Files.writeString(predicate, INSTANCES);
    String line = line(0, 0, 1, "100/0", "200/0");
    line = values == null ? line : line.replace("\"values\":{}", "\"values\":{" + values + "}");
    String bad = binding.isEmpty() ? line : bound(binding, line);
    assertThat(detect("", bad)).isEqualTo(2);
    assertThat(err.toString())
        .contains("line 2 of ")
        .contains("t.jsonl: " + reason)
        .hasLineCount(1);
  }

  @Test
  void replicasOfAReadAreNotJoined() throws IOException {
    Files.writeString(predicate, OPERATIONS);
    assertThat(detectWith(List.of("--replicas", "first"), line(0, 0, 1, "100/0", "200/0")))
        .isEqualTo(2);
    assertThat(err.toString()).contains("a clause of reads needs --replicas any");
  }

  @Test
  void anOptionThatDoesNotFitIsRefused() throws IOException {
    String line = line(0, 0, 1, "100/0", "200/0");
    assertThat(detectWith(List.of("--retained-max", "0"), line)).isEqualTo(2);
    assertThat(err.toString()).contains("--retained-max must be at least 1: 0");
    assertThat(run("", List.of(folder.toString()))).isEqualTo(2);
    assertThat(err.toString()).contains("it is a folder, not a file: " + folder);
    Files.writeString(predicate, MUTEX + "      for: 1s\n");
    assertThat(detectWith(List.of("--epsilon", "inf"), line)).isEqualTo(2);
    assertThat(err.toString())
        .contains("'for' compares times of different nodes, so --epsilon must not be inf: ");
  }

  /** They could move the cursor of a terminal. */
  @Test
  void controlCharactersAreShownAsTheirCodes() throws IOException {
    Files.writeString(predicate, INSTANCES);
    assertThat(detect(bound("a=3,\\u001b[31mX=3", line(0, 0, 1, "100/0", "200/0")))).isEqualTo(2);
    assertThat(err.toString()).contains("a=3,\\u001b[31mX=3").doesNotContain("\u001b");
  }

  @Test
  void aBindingOfAPredicateWithoutCapturesIsRefused() {
    assertThat(detect(bound("a=3", line(0, 0, 1, "100/0", "200/0")))).isEqualTo(2);
    assertThat(err.toString())
        .contains(
            "t.jsonl: 'binding' must be absent, because the predicate has no captures: binding=a=3");
  }

  @Test
  void theVariableOfASumIsThatOfItsTerm() throws IOException {
    Files.writeString(predicate, INSTANCES);
    String clause = line(0, 0, 1, "100/0", "200/0").replace("\"clause\":0", "\"clause\":1");
    assertThat(detect(bound("a=3,b=5", valued("v_3_5", "7", clause)))).isZero();
    assertThat(detect(bound("a=3,b=5", valued("w_3_5", "7", clause)))).isEqualTo(2);
    assertThat(err.toString()).contains("the variable 'v_{a}_{b}' of term 0: w_3_5");
  }

  @ParameterizedTest(name = "{1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{} | 'predicate' is missing",
        "[] | a line must be a JSON object",
        "{\"predicate\":\"p\" | not JSON: the line ends early",
        "{\"predicate\":\"p | not JSON: the line ends early",
        "5 | not JSON: the line ends early",
        "{\"predicate\":\"p\"} tr | a line must be one JSON object, and no more",
        "{\"predicate\":\"p\"}{} | a line must be one JSON object, and no more",
        "{\"predicate\":\"q\"} | 'predicate' must be 'p' as in the predicate's file: predicate='q'",
        "{\"predicate\":1} | 'predicate' must be a text: predicate=1",
        "{\"predicate\":\"p\",\"cluase\":0} | unknown field 'cluase', the nearest one is 'clause'",
        "{\"predicate\":\"p\",\"predicate\":\"p\"} | not JSON: Duplicate field 'predicate'",
        "{\"predicate\":\"p\",\"clause\":2} | 'clause' must be in [0, 1]: clause=2",
        "{\"predicate\":\"p\",\"clause\":\"0\"} | 'clause' must be a whole number",
        "{\"predicate\":\"p\",\"clause\":1,\"term\":1} | 'term' must be in [0, 0]: term=1",
        "{\"predicate\":\"p\",\"clause\":0,\"term\":0} | 'start' is missing",
      })
  void aLineThatIsNoCandidateIsRefusedWithItsNumber(String line, String reason) {
    assertThat(detect(line(0, 0, 1, "100/0", "200/0"), line)).isEqualTo(2);
    assertThat(err.toString()).startsWith("palinode: line 2 of ").contains("t.jsonl: " + reason);
    assertThat(err.toString().lines()).hasSize(1);
    assertThat(out.toString()).isEmpty();
  }

  @ParameterizedTest(name = "{2}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"node\":1 | \"node\":2 | 'node' must be in [0, 1]: node=2",
        "\"node\":1 | \"node\":-1 | 'node' must be in [0, 1]: node=-1",
        "\"seq\":9 | \"seq\":3.5 | 'seq' must be a whole number: seq=3.5",
        "\"seq\":9 | \"sequence\":9 | unknown field 'sequence', the nearest one is 'seq'",
        "\"seq\":9 | \"seq\":5 | 'seq' must be unique at its node: node=1 seq=5",
        "\"0\",\"700\" | \"700\" | 'start' must have 2 entries as those before: entries=1",
        "\"0\",\"800\" | \"0\",\"800\",\"1\" | 'end' must have 2 entries as those before:"
            + " entries=3",
        "\"0\",\"800\" | \"0\",\"699\" | 'end' must have no entry before that of 'start':"
            + " start[1]=700 end[1]=699",
        "\"0\",\"700\" | \"650\",\"700\" | 'end' must have no entry before that of 'start':"
            + " start[0]=650 end[0]=0",
        "\"0\",\"700\" | \"700.1\",\"700\" | 'start' must have no entry after that of its node:"
            + " start[0]=700.1 start[1]=700",
        "\"0\",\"800\" | \"801\",\"800\" | 'end' must have no entry after that of its node:"
            + " end[0]=801 end[1]=800",
        "\"0\",\"700\" | \"0\",\"599\" | the lines of node 1 must be in its order: start[1]=599"
            + " after 600",
        "\"0\",\"700\" | \"0\",\"7oo\" | 'start': a timestamp must be <microseconds>",
        "\"0\",\"700\" | \"0\",\"700.4096\" | 'start': a timestamp must be <microseconds>",
        "\"0\",\"700\" | \"0\",700.5 | 'start' must hold timestamps as texts",
        "\"values\":{} | \"values\":7 | 'values' must be an object",
        "\"values\":{} | \"version\":7 | 'version' must be a text",
        "\"values\":{} | \"origin\":2 | 'origin' must be in [0, 1]: origin=2",
        "\"values\":{} | \"endedBy\":[] | 'endedBy' must be a text",
      })
  void aCandidateThatCannotBeIsRefused(String field, String changed, String reason) {
    String good = line(1, 1, 9, "0/700", "0/800");
    String bad = good.replace(field, changed);
    assertThat(bad).isNotEqualTo(good);
    String[] trace = {line(0, 0, 1, "100/0", "200/0"), line(1, 1, 5, "0/600", "0/650"), bad};
    assertThat(detect(trace)).isEqualTo(2);
    assertThat(err.toString())
        .contains("line 3 of ")
        .contains("t.jsonl: " + reason)
        .hasLineCount(1);
    trace[2] = good;
    assertThat(detect(trace)).isLessThan(2);
  }

  @Test
  void whatIsNotUtf8IsRefused() throws IOException {
    Path trace = folder.resolve("latin1.jsonl");
    Files.write(trace, "{\"predicate\":\"\u00e9\"}".getBytes(StandardCharsets.ISO_8859_1));
    assertThat(run("", List.of(trace.toString()))).isEqualTo(2);
    assertThat(err.toString())
        .contains("line 1 of ")
        .contains("latin1.jsonl: a trace must be in UTF-8");
  }

  /**
   * Also where the parser of all lines begins: at the first one, and at the first not plain one.
   */
  @Test
  void aByteOrderMarkIsRefusedAtEachLine() {
    String plain = line(0, 0, 1, "100/0", "200/0");
    String spaced = line(0, 0, 2, "300/0", "400/0").replace("{\"predicate", "{ \"predicate");
    String last = line(0, 0, 3, "500/0", "600/0");
    for (String mark : List.of("\uFEFF", "\uFEFF ")) {
      assertThat(detect(mark + plain)).isEqualTo(2);
      assertThat(err.toString()).contains("line 1 of ").contains("a byte order mark (U+FEFF)");
      assertThat(detect(plain, mark + spaced)).isEqualTo(2);
      assertThat(err.toString()).contains("line 2 of ").contains("a byte order mark (U+FEFF)");
      assertThat(detect(plain, spaced, mark + last)).isEqualTo(2);
      assertThat(err.toString()).contains("line 3 of ").contains("a byte order mark (U+FEFF)");
    }
  }

  @Test
  void aValueOfMegabytesIsNotEchoed() {
    String value = "v".repeat(4 << 20);
    String good = line(0, 0, 1, "100/0", "200/0");
    for (String bad :
        List.of(
            good.replace("\"p\"", "\"" + value + "\""),
            good.replace("\"100\"", "\"" + value + "\""),
            good.replace("\"seq\":1", "\"seq\":\"" + value + "\""),
            good.replace("\"seq\":1", "\"" + value + "\":1"),
            good.replace("\"seq\":1", "\"seq\":" + value),
            valued("x", value, good),
            valued(value, "1", good),
            bound("a=" + value, good))) {
      assertThat(detect(bad)).isEqualTo(2);
      assertThat(err.toString()).hasSizeLessThan(1_000).contains("line 1 of ");
    }
    assertThat(detect("v".repeat(17 << 20))).isEqualTo(2);
    assertThat(err.toString()).contains("a line must have at most 16777216 bytes: vvv");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"--epsilon 10", "--report some", "--replicas all", "--uncertainty no", "--bogus"})
  void anOptionThatIsNotKnownIsRefused(String option) {
    List<String> words = new ArrayList<>(List.of(option.split(" ")));
    words.add("-");
    assertThat(run("", words)).isEqualTo(2);
    assertThat(err.toString()).isNotEmpty();
  }

  @Test
  void filesThatAreMissingOrNoPredicateAreRefused() throws IOException {
    assertThat(run("", List.of(folder.resolve("none.jsonl").toString()))).isEqualTo(2);
    assertThat(err.toString()).contains("no such file").contains("none.jsonl");
    Files.writeString(predicate, "kind: Cucumber\n");
    assertThat(run("", List.of("-"))).isEqualTo(2);
    assertThat(err.toString()).contains("p.yaml");
    predicate = folder.resolve("none.yaml");
    assertThat(run("", List.of("-"))).isEqualTo(2);
    assertThat(err.toString()).contains("no such file").contains("none.yaml");
  }

  /** A trace has no checksum: a flipped digit is another trace. */
  @Test
  void aTraceWithAFlippedBitIsJudgedOrRefusedWithItsLine() throws IOException {
    Path trace = folder.resolve("flipped.jsonl");
    byte[] whole =
        (line(0, 0, 1, "100/0", "200/0") + "\n" + line(1, 1, 1, "0/110", null) + "\n")
            .getBytes(StandardCharsets.UTF_8);
    int refused = 0;
    for (int bit = 0; bit < whole.length * 8; bit++) {
      byte[] flipped = whole.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(trace, flipped);
      int status = run("", List.of(trace.toString()));
      assertThat(status).as("bit %d: %s", bit, err).isBetween(0, 3);
      assertThat(err.toString()).as("bit %d", bit).doesNotContain("Exception");
      if (status == 2) {
        assertThat(err.toString()).as("bit %d", bit).contains(trace.getFileName().toString());
        refused++;
      } else {
        assertThat(out.toString().isEmpty()).as("bit %d", bit).isEqualTo(status != 1);
      }
    }
    System.out.printf("trace: flips %d, refused %d%n", whole.length * 8, refused);
    assertThat(refused).isGreaterThan(whole.length);
  }
}
