package io.palinode.cli.explain;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.detection.explain.Explanation;
import io.palinode.predicate.form.Predicates;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class ExplainCommandTest {
  private static final Path SHIPPED =
      Path.of("../examples/graph-mutex/src/main/resources/io/palinode/examples/graph");
  private static final Path HERE = Path.of("src/test/resources/explain");
  private static final Path PAGE = Path.of("../docs/reference/predicates.md");

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @ParameterizedTest
  @ValueSource(strings = {"edge-mutex.yaml", "proper-colouring.yaml", "karate-edge-mutex.xml"})
  void aShippedPredicateIsExplainedAsItsGoldenFileSays(String file) throws IOException {
    assertGolden(SHIPPED.resolve(file), file);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "many-terms.yaml",
        "alone.yaml",
        "hard-texts.yaml",
        "one-holder.yaml",
        "one-leader.yaml",
        "overbooked.yaml",
        "credit.yaml",
        "bank.yaml",
        "exact.yaml",
        "stuck-order.yaml",
        "settled-bank.yaml",
        "unanswered-order.yaml",
        "two-clauses-active.yaml"
      })
  void otherKindsAreExplainedAsTheirGoldenFilesSay(String file) throws IOException {
    assertGolden(HERE.resolve(file), file);
  }

  @ParameterizedTest
  @ValueSource(strings = {"no-lost-update.yaml", "no-stale-read.yaml"})
  void operationsOfClientsAreExplainedAsTheGoldenFileSays(String file) throws IOException {
    assertGolden(Path.of("../examples/balances").resolve(file), file);
  }

  @Test
  void replicasThatDivergeAreExplainedAsTheGoldenFileSays() throws IOException {
    assertGolden(Path.of("../examples/carts/carts-agree.yaml"), "carts-agree.yaml");
  }

  @Test
  void thePageShowsWhatIsPrinted() throws IOException {
    assertThat(run(SHIPPED.resolve("edge-mutex.yaml").toString())).isZero();
    assertThat(Files.readString(PAGE))
        .contains("```console\n$ palinode explain edge-mutex.yaml\n" + out);
  }

  @Test
  void jsonHasTheFactsAndTheSentences() throws IOException {
    assertThat(run("-o", "json", SHIPPED.resolve("proper-colouring.yaml").toString())).isZero();
    JsonNode json = new ObjectMapper().readTree(out.toString()).get(0);
    assertThat(json.path("predicate").asText()).isEqualTo("proper-colouring");
    assertThat(json.path("class").asText()).isEqualTo("semilinear");
    assertThat(json.path("terms").asInt()).isEqualTo(1);
    assertThat(json.path("captures")).extracting(JsonNode::asText).containsExactly("a", "b", "k");
    assertThat(json.path("keys").get(0).path("example").asText()).isEqualTo("cs_1_2_3");
    assertThat(json.path("topics").path("rollback").get(0).asText()).contains("possible");
  }

  @Test
  void anExampleSatisfiesTheConditions() {
    Explanation explained =
        Explanation.of(
            Predicates.parse(
                """
                apiVersion: palinode.io/v1
                kind: Predicate
                metadata: {name: p}
                spec:
                  forEach: {edge: "{a}_{b}"}
                  where: ["{a} > {b}", "{b} >= 41.5", "{a} != 42.5"]
                  violation:
                    - all:
                        - {var: "x_{a}_{b}", equals: "1"}
                """,
                "p.yaml"));
    assertThat(explained.keys())
        .containsExactly(new Explanation.WatchedKey("x_{a}_{b}", "x_43.5_41.5"));
  }

  @Test
  void conditionsThatNothingSatisfiesLeaveNoExample() {
    Explanation explained =
        Explanation.of(
            Predicates.parse(
                """
                apiVersion: palinode.io/v1
                kind: Predicate
                metadata: {name: p}
                spec:
                  forEach: {one: "{a}"}
                  where: ["{a} < {a}"]
                  violation:
                    - all:
                        - {var: "x_{a}", equals: "1"}
                """,
                "p.yaml"));
    assertThat(explained.keys()).containsExactly(new Explanation.WatchedKey("x_{a}", null));
  }

  private void assertGolden(Path file, String name) throws IOException {
    assertThat(run(file.toString())).isZero();
    assertThat(out.toString()).isEqualTo(Files.readString(HERE.resolve(name + ".txt")));
    assertThat(out.toString().lines())
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(Layout.COLUMNS));
  }

  private int run(String... args) {
    return new CommandLine(new ExplainCommand())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }
}
