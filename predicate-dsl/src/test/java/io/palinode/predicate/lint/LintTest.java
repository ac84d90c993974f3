package io.palinode.predicate.lint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import io.palinode.predicate.Predicate;
import io.palinode.predicate.PredicateLimits;
import io.palinode.predicate.RandomPredicate;
import io.palinode.predicate.form.Predicates;
import io.palinode.predicate.lint.Lint.Check;
import io.palinode.predicate.lint.Lint.Finding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LintTest {
  private static final Path SHIPPED =
      Path.of("../examples/graph-mutex/src/main/resources/io/palinode/examples/graph");

  @Test
  void theShippedPredicatesAreClean() throws IOException {
    try (Stream<Path> files = Files.list(SHIPPED)) {
      List<Path> predicates =
          files.filter(file -> file.toString().matches(".*\\.(yaml|xml)")).toList();
      assertThat(predicates).hasSizeGreaterThanOrEqualTo(3);
      for (Path file : predicates) {
        assertThat(Lint.of(file, Set.of(), PredicateLimits.DEFAULT)).as("%s", file).isEmpty();
      }
    }
  }

  @Test
  void twoValuesOfOneKeyAreOnlyInSiblings() {
    Finding found =
        only(
            Check.ONLY_SIBLINGS,
            "{var: x, equals: a}",
            "{var: y, equals: b}",
            "{var: x, equals: b}");
    assertThat(found.place()).isEqualTo("p.yaml:9:11");
    assertThat(found.sentence()).startsWith("terms 0 and 2 of clause 0 ");
  }

  @Test
  void twoValuesOfOneKeyOnTwoReplicasMayBeMeant() {
    assertThat(find("  replicas: any\n", "{var: x, equals: a}", "{var: x, equals: b}")).isEmpty();
  }

  @Test
  void copiesThatAreOnlyLateMayNotBeMeant() {
    assertThat(diverged("999ms")).containsExactly(Check.DIVERGED_SOON);
    assertThat(diverged("1s")).isEmpty();
  }

  private static List<Check> diverged(String longerThan) {
    String violation =
        "  violation:\n    - replicasDiverged: {var: cart, longerThan: " + longerThan + "}\n";
    return Lint.of(document(violation), "p.yaml", Set.of()).stream().map(Finding::check).toList();
  }

  @Test
  void twoKeysOrAValueThatBindsMayBeMeant() {
    assertThat(find("", "{var: x, equals: a}", "{var: y, equals: b}")).isEmpty();
    assertThat(
            find(
                "  forEach: {c: \"{k}\"}\n",
                "{var: x, equals: \"a{k}\"}",
                "{var: x, equals: \"b{k}\"}"))
        .isEmpty();
    assertThat(find("", "{var: x, equals: a}", "{var: x, notEquals: b}")).isEmpty();
  }

  @Test
  void aTermThatIsRepeatedIsFound() {
    Finding found = only(Check.REPEATED_TERM, "{var: x, equals: a}", "{var: x, equals: a}");
    assertThat(found.place()).isEqualTo("p.yaml:8:11");
    assertThat(found.sentence()).startsWith("term 1 of clause 0 repeats term 0");
  }

  @Test
  void clausesThatSayNothingMoreAreFound() {
    List<Finding> found =
        Lint.of(
            document(
                """
                  violation:
                    - all: [{var: a, equals: "1"}, {var: b, equals: "1"}, {var: c, equals: "1"}]
                    - all: [{var: b, equals: "1"}, {var: a, equals: "1"}]
                    - all: [{var: d, equals: "1"}, {var: a, equals: "1"}]
                    - any: [{var: e, equals: "1"}, {var: f, equals: "1"}]
                    - all: [{var: a, equals: "1"}, {var: b, equals: "1"}]
                    - all: [{var: a, equals: "1"}, {var: f, equals: "1"}]
                """),
            "p.yaml",
            Set.of());
    assertThat(found)
        .extracting(Finding::check, Finding::place, Finding::sentence)
        .containsExactly(
            tuple(Check.REPEATED_CLAUSE, "p.yaml:10:7", "clause 5 repeats clause 1"),
            tuple(
                Check.IMPLIED_CLAUSE,
                "p.yaml:6:7",
                "clause 0 is true only where clause 1 is, which has fewer terms"),
            tuple(
                Check.IMPLIED_CLAUSE,
                "p.yaml:11:7",
                "clause 6 is true only where clause 4 is, which has fewer terms"));
  }

  @ParameterizedTest
  @CsvSource({"0, EPSILON_ZERO", "1001ms, EPSILON_LARGE", "3600s, EPSILON_LARGE"})
  void anEpsilonThatClocksHardlyHaveIsFound(String epsilon, Check check) {
    List<Finding> found = find("  epsilon: " + epsilon + "\n", "{var: x, equals: a}");
    assertThat(found).extracting(Finding::check).containsExactly(check);
    assertThat(found.get(0).place()).isEqualTo("p.yaml:5:12");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1s", "10ms", "1us", "inf"})
  void anyOtherEpsilonIsNot(String epsilon) {
    assertThat(find("  epsilon: " + epsilon + "\n", "{var: x, equals: a}")).isEmpty();
  }

  @Test
  void aRollbackThatComesTooLateOrForHandOversIsFound() {
    assertThat(rollback("", "rollbackOn: definite, " + FREQUENT))
        .containsExactly(Check.ROLLBACK_ON_DEFINITE);
    assertThat(rollback("", "rollbackOn: uncertain, " + FREQUENT))
        .containsExactly(Check.ROLLBACK_ON_UNCERTAIN);
    assertThat(rollback("", "rollbackOn: possible, " + FREQUENT)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"  uncertainty: causal\n", "  epsilon: inf\n"})
  void whereNothingIsUncertainNoHandOverIsRolledBack(String fields) {
    assertThat(rollback(fields, "rollbackOn: uncertain, " + FREQUENT)).isEmpty();
  }

  @Test
  void aRollbackThatMayFlapIsFound() {
    assertThat(rollback("", "rollbackOn: possible")).containsExactly(Check.ROLLBACK_MAY_FLAP);
  }

  @Test
  void aKeyOfAnotherPredicateInWhichACaptureTakesASeparatorIsFound() {
    String text =
        document(keys("order_{a}_{b}"))
            + "---\n"
            + document(keys("order_item_{b}_{a}")).replace("name: p", "name: q");
    List<Finding> found = Lint.of(text, "p.yaml", Set.of());
    assertThat(found).hasSize(1);
    assertThat(found.get(0).check()).isEqualTo(Check.AMBIGUOUS_KEY);
    assertThat(found.get(0).predicate()).isEqualTo("p");
    assertThat(found.get(0).sentence())
        .isEqualTo(
            "keys of predicate 'q' like order_item_{b}_{a} also match 'order_{a}_{b}', as a=item,"
                + " b={b}_{a}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"order_{b}_{a}", "order-item_{b}_{a}", "item_{a}_{b}_x", "order_{a}-{b}"})
  void keysThatSplitAsMeantAreNot(String other) {
    String text =
        document(keys("order_{a}_{b}"))
            + "---\n"
            + document(keys(other)).replace("name: p", "name: q");
    assertThat(Lint.of(text, "p.yaml", Set.of())).isEmpty();
  }

  @Test
  void aVariableThatMatchesEveryKeyIsFound() {
    assertThat(find("  forEach: {k: \"{key}\"}\n", "{var: \"{key}\", equals: a}"))
        .extracting(Finding::check)
        .containsExactly(Check.WATCHES_EVERY_KEY);
  }

  @Test
  void whatIsIgnoredIsNotFound() {
    String text = document("  epsilon: 0\n" + keys("{a}_{b}"));
    assertThat(Lint.of(text, "p.yaml", Set.of(Check.EPSILON_ZERO))).isEmpty();
  }

  @Test
  void anyPredicateCanBeLinted() {
    for (long seed = 0; seed < 1_000; seed++) {
      Predicate predicate = new RandomPredicate(seed).next();
      List<Finding> yaml = Lint.of(Predicates.toYaml(predicate), "p", Set.of());
      List<Finding> xml = Lint.of(Predicates.toXml(predicate), "p", Set.of());
      assertThat(xml)
          .as("seed=%d", seed)
          .extracting(Finding::check, Finding::sentence)
          .isEqualTo(yaml.stream().map(f -> tuple(f.check(), f.sentence())).toList());
      assertThat(yaml).as("seed=%d", seed).allMatch(f -> f.place().matches("p:\\d+:\\d+"));
    }
  }

  @Test
  void aNameThatIsNoneIsRefusedWithTheNearest() {
    assertThat(Check.words()).allSatisfy(word -> assertThat(Check.of(word).word()).isEqualTo(word));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Check.of("epsilon-zer"))
        .withMessageEndingWith("did you mean 'epsilon-zero'?");
  }

  private static final String FREQUENT = "whenFrequent: {over: 3, per: 5s, then: sequential}";

  private static String keys(String variable) {
    return "  forEach: {e: \"{a}:{b}\"}\n  violation: [{all: [{var: \""
        + variable
        + "\", equals: x}]}]\n";
  }

  private static List<Check> rollback(String fields, String action) {
    return Lint.of(
            document(
                fields
                    + "  violation: [{all: [{var: x, equals: a}, {var: y, equals: a}]}]\n"
                    + "  onViolation: {rollback: {to: before-violation}, "
                    + action
                    + "}\n"),
            "p.yaml",
            Set.of())
        .stream()
        .map(Finding::check)
        .toList();
  }

  private static Finding only(Check check, String... terms) {
    List<Finding> found = find("", terms);
    assertThat(found).extracting(Finding::check).containsExactly(check);
    return found.get(0);
  }

  private static List<Finding> find(String fields, String... terms) {
    String clause =
        "  violation:\n    - all:\n        - " + String.join("\n        - ", terms) + "\n";
    return Lint.of(document(fields + clause), "p.yaml", Set.of());
  }

  private static String document(String spec) {
    return "apiVersion: palinode.io/v1\nkind: Predicate\nmetadata: {name: p}\nspec:\n" + spec;
  }
}
