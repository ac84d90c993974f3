package io.palinode.predicate.form;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.Clause;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.Comparison;
import io.palinode.predicate.LocalPredicate;
import io.palinode.predicate.OnViolation;
import io.palinode.predicate.OnViolation.RollbackTarget;
import io.palinode.predicate.OnViolation.WhenFrequent;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.PredicateClass;
import io.palinode.predicate.ReplicaRule;
import io.palinode.predicate.Term;
import io.palinode.predicate.template.Template;
import io.palinode.predicate.text.PredicateException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PredicatesTest {
  private static final Path EXAMPLES = Path.of("src/test/resources/predicates");
  private static final String MINIMAL =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: p}
      spec:
        violation: [{all: [{var: x, equals: 1}]}]
      """;

  @TempDir Path folder;

  @Test
  void whatIsLeftOutOfYamlHasItsDefault() {
    Predicate predicate = Predicates.parse(MINIMAL, "p.yaml");
    assertThat(predicate)
        .isEqualTo(
            new Predicate(
                "p",
                Map.of(),
                PredicateClass.CONJUNCTIVE,
                null,
                Uncertainty.CONSERVATIVE,
                ReplicaRule.FIRST,
                Map.of(),
                List.of(),
                List.of(clause(term("x", "1"))),
                new OnViolation(
                    null,
                    Grade.POSSIBLE,
                    Grade.POSSIBLE,
                    List.of("console"),
                    OnViolation.RollbackRules.DEFAULT)));
  }

  /** Each clause of {@code any} lasts; the replica rule is then any. */
  @Test
  void aTimeIsOfAWholeClause() {
    String spec =
        """
        apiVersion: palinode.io/v1
        kind: Predicate
        metadata: {name: p}
        spec:
          violation:
            - for: 30s
              all: [{var: x, equals: 1}, {var: y, equals: 1}]
            - any: [{var: x, equals: 2}, {var: y, equals: 2}]
              for: 5m
            - atLeast: {count: 2, of: [{var: x, equals: 3}, {var: y, equals: 3}]}
        """;
    Predicate predicate = Predicates.parse(spec, "p.yaml");
    assertThat(predicate.violation())
        .extracting(Clause::heldFor)
        .containsExactly(
            Duration.ofSeconds(30), Duration.ofMinutes(5), Duration.ofMinutes(5), Duration.ZERO);
    assertThat(predicate.replicas()).isEqualTo(ReplicaRule.ANY);
    assertThat(
            Predicates.parse(
                    "<predicate name='p'><violation><any for='5m'><term var='x' equals='2'/></any>"
                        + "</violation></predicate>",
                    "p.xml")
                .violation())
        .containsExactly(
            new Clause(
                ClauseRule.ALL, List.of(LocalPredicate.of(term("x", "2"))), Duration.ofMinutes(5)));
  }

  @Test
  void everyFieldOfYamlIsRead() {
    Predicate predicate =
        Predicates.parse(
            """
            apiVersion: palinode.io/v1
            kind: Predicate
            metadata:
              name: all-fields
              labels: {app: colouring, answer: 42}
            spec:
              type: semilinear
              epsilon: 10ms
              uncertainty: causal
              replicas: any
              forEach: {edge: "{a}_{b}"}
              violation:
                - all:
                    - {var: "cs_{a}_{b}", equals: "{{1}}"}
                - all:
                    - {var: "x_{a}", equals: "{b}"}
                    - {equals: 007, var: "y_{a}_{b}"}
              onViolation:
                rollback: {scope: all, to: before-first-witness}
                rollbackOn: definite
                alertOn: uncertain
                alert: [console, "webhook:https://alerts.example/hook"]
                whenFrequent: {over: 5, per: 10s, then: sequential, guards: ["lock_{a}"]}
                budget: {atMost: 3, per: 10m}
                approval: required
            """,
            "x.yaml");
    assertThat(predicate)
        .isEqualTo(
            new Predicate(
                "all-fields",
                Map.of("app", "colouring", "answer", "42"),
                PredicateClass.SEMILINEAR,
                Epsilon.ofMicros(10_000),
                Uncertainty.CAUSAL,
                ReplicaRule.ANY,
                Map.of("edge", Template.parse("{a}_{b}")),
                List.of(),
                List.of(
                    clause(term("cs_{a}_{b}", "{{1}}")),
                    clause(term("x_{a}", "{b}"), term("y_{a}_{b}", "007"))),
                new OnViolation(
                    RollbackTarget.BEFORE_FIRST_WITNESS,
                    Grade.DEFINITE,
                    Grade.UNCERTAIN,
                    List.of("console", "webhook:https://alerts.example/hook"),
                    new OnViolation.RollbackRules(
                        new WhenFrequent(
                            5, Duration.ofSeconds(10), List.of(Template.parse("lock_{a}"))),
                        OnViolation.OnUnreachable.HALT,
                        new OnViolation.Budget(3, Duration.ofMinutes(10)),
                        OnViolation.Approval.REQUIRED,
                        OnViolation.RollbackScope.ALL))));
  }

  @ParameterizedTest
  @CsvSource({"1,1", "1.50,1.50", "0x1F,0x1F", "true,true", "No,No", "1_000,1_000", "'\"\"',''"})
  void aValueIsTheTextAsItIsWritten(String written, String value) {
    String yaml = MINIMAL.replace("equals: 1", "equals: " + written);
    assertThat(Predicates.parse(yaml, "p").violation()).containsExactly(clause(term("x", value)));
  }

  @Test
  void thePapersXmlMeansThatATrueClauseIsTheViolationOnAnyReplica() throws IOException {
    assertThat(Predicates.read(EXAMPLES.resolve("paper.xml")))
        .isEqualTo(
            new Predicate(
                "paper",
                Map.of(),
                PredicateClass.SEMILINEAR,
                null,
                Uncertainty.CONSERVATIVE,
                ReplicaRule.ANY,
                Map.of(),
                List.of(),
                List.of(clause(term("x2", "1"), term("y2", "1")), clause(term("z2", "1"))),
                OnViolation.DEFAULT));
  }

  @Test
  void thePapersXmlMayHaveANameAndWhatTheFullLanguageHas() {
    Predicate predicate =
        Predicates.parse(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <predicate>
              <name> named </name>
              <replicas>first</replicas>
              <forEach name="edge">{a}</forEach>
              <conjClause>
                <var><name>cs_{a}</name><value>{{1}}</value></var>
              </conjClause>
              <onViolation><rollback/></onViolation>
            </predicate>
            """,
            "x.xml");
    assertThat(predicate.name()).isEqualTo("named");
    assertThat(predicate.type()).isEqualTo(PredicateClass.CONJUNCTIVE);
    assertThat(predicate.replicas()).isEqualTo(ReplicaRule.FIRST);
    assertThat(predicate.violation()).containsExactly(clause(term("cs_{a}", "{{1}}")));
    assertThat(predicate.onViolation().rollbackTo()).isEqualTo(RollbackTarget.BEFORE_VIOLATION);
  }

  @ParameterizedTest
  @CsvSource({
    "/etc/palinode/my mutex.v2.xml, my-mutex.v2",
    "C:\\files\\edge.xml,           edge",
    "..xml,                         predicate",
    "ä.xml,                         predicate",
    "'',                            predicate",
  })
  void xmlWithoutANameIsNamedAfterItsFile(String source, String name) {
    String xml =
        "<predicate><conjClause><var><name>x</name><value>1</value></var></conjClause></predicate>";
    assertThat(Predicates.parse(xml, source).name()).isEqualTo(name);
  }

  @Test
  void xmlAndYamlOfOnePredicateAreEqual() throws IOException {
    assertThat(Predicates.read(EXAMPLES.resolve("edge-mutex.xml")))
        .isEqualTo(Predicates.read(EXAMPLES.resolve("edge-mutex.yaml")));
  }

  @Test
  void everyComparisonAndConditionIsReadFromBothForms() throws IOException {
    Predicate stock = Predicates.read(EXAMPLES.resolve("stock.yaml"));
    assertThat(Predicates.read(EXAMPLES.resolve("stock.xml"))).isEqualTo(stock);
    assertThat(stock.where()).hasToString("[{from} != {to}, {to} <= 900]");
    assertThat(stock.type()).isEqualTo(PredicateClass.SEMILINEAR);
    assertThat(stock.violation().get(0).terms())
        .extracting(term -> term.comparison().word() + " " + term.comparison().operands())
        .containsExactly("below [0]", "notEquals [{from}]", "atLeast [1E+3]");
  }

  @Test
  void eachTermOfAnyIsAClauseOfItsOwnAndWrittenAsOne() throws IOException {
    Predicate stock = Predicates.read(EXAMPLES.resolve("stock.yaml"));
    assertThat(stock.violation()).hasSize(5);
    assertThat(stock.violation().subList(1, 5))
        .allSatisfy(clause -> assertThat(clause.terms()).hasSize(1));
    assertThat(Predicates.toYaml(stock).lines())
        .containsSequence(
            "  where:",
            "    - \"{from} != {to}\"",
            "    - \"{to} <= 900\"",
            "  violation:",
            "    - all:",
            "        - {var: \"left_{from}-{to}\", below: \"0\"}")
        .containsSequence(
            "    - all:",
            "        - {var: \"mode_{from}-{to}\", in: [\"open\", \"\", \"{to}\"]}",
            "    - all:",
            "        - {var: \"order_{from}-{to}\", matches: \"[a-z]+-[0-9]{2,4}\"}");
  }

  @Test
  void aConjunctionIsConjunctiveWhateverItsComparisons() {
    String yaml =
        MINIMAL.replace("{var: x, equals: 1}", "{var: x, above: 1}, {var: y, in: [2, 3]}");
    assertThat(Predicates.parse(yaml, "p").type()).isEqualTo(PredicateClass.CONJUNCTIVE);
    String any = MINIMAL.replace("all: [{var: x, equals: 1}]", "any: [{var: x, matches: 'a*'}]");
    assertThat(Predicates.parse(any, "p").type()).isEqualTo(PredicateClass.CONJUNCTIVE);
  }

  @Test
  void theExamplesBindTheEdgeAndTheColour() throws IOException {
    Predicate mutex = Predicates.read(EXAMPLES.resolve("edge-mutex.yaml"));
    assertThat(mutex.captures()).containsExactly("a", "b");
    Predicate colouring = Predicates.read(EXAMPLES.resolve("proper-colouring.yaml"));
    List<Term> terms = colouring.violation().get(0).terms();
    assertThat(terms.get(0).bind("cs_3_5_3", "c2")).hasToString("a=3,b=5,k=2");
    assertThat(terms.get(1).bind("cs_3_5_5", "c2")).hasToString("a=3,b=5,k=2");
    assertThat(terms.get(1).bind("cs_3_5_3", "c2")).isNull();
  }

  @Test
  void theCanonicalYamlSaysEveryField() throws IOException {
    assertThat(Predicates.toYaml(Predicates.read(EXAMPLES.resolve("proper-colouring.yaml"))))
        .isEqualTo(
            """
            apiVersion: palinode.io/v1
            kind: Predicate
            metadata:
              name: proper-colouring
              labels:
                app: "colouring"
            spec:
              type: conjunctive
              uncertainty: conservative
              replicas: first
              forEach:
                colour: "{k}"
                edge: "{a}_{b}"
              violation:
                - all:
                    - {var: "cs_{a}_{b}_{a}", equals: "c{k}"}
                    - {var: "cs_{a}_{b}_{b}", equals: "c{k}"}
              onViolation:
                rollback: {scope: all, to: before-violation}
                rollbackOn: possible
                alertOn: possible
                alert: [console]
                whenFrequent: {over: 5, per: 10s, then: sequential}
            """);
  }

  @Test
  void aYamlFileMayHoldSeveralPredicates() throws IOException {
    Path file = folder.resolve("two.yaml");
    String second = MINIMAL.replace("name: p", "name: q");
    Files.writeString(file, "---\n" + MINIMAL + "---\n# nothing\n---\n" + second);
    assertThat(Predicates.readAll(file)).extracting(Predicate::name).containsExactly("p", "q");
    refused(() -> Predicates.read(file), file + ":10:1: one predicate is expected");
  }

  @Test
  void oneXmlPredicateIsAListOfOne() throws IOException {
    assertThat(Predicates.readAll(EXAMPLES.resolve("paper.xml"))).hasSize(1);
  }

  @Test
  void twoPredicatesOfOneNameAreRefused() {
    refused(
        () -> Predicates.parseAll(MINIMAL + "---\n" + MINIMAL, "p.yaml"),
        "p.yaml:7:1: a name must not appear twice in a file: 'p'");
  }

  @Test
  void aByteOrderMarkIsSkipped() {
    assertThat(Predicates.parse("\uFEFF" + MINIMAL, "p").name()).isEqualTo("p");
  }

  @Test
  void aFileThatIsTooLargeOrNotUtf8IsRefused() throws IOException {
    Path large = folder.resolve("large.yaml");
    Files.write(large, new byte[Predicates.DOCUMENT_BYTES_MAX + 1]);
    refused(
        () -> Predicates.read(large),
        large + ": a document must have at most 4194304 bytes: it has more");
    Path latin = folder.resolve("latin.yaml");
    Files.write(latin, "name: ä".getBytes(StandardCharsets.ISO_8859_1));
    refused(() -> Predicates.read(latin), latin + ": the text must be UTF-8");
    refused(
        () -> Predicates.parse("x".repeat(Predicates.DOCUMENT_BYTES_MAX + 1), "x"),
        "x: a document must have at most 4194304 characters: it has more");
  }

  @Test
  void aFileThatIsNotThereIsAnInputError() {
    assertThatExceptionOfType(NoSuchFileException.class)
        .isThrownBy(() -> Predicates.read(folder.resolve("none.yaml")));
  }

  private interface Reading {
    void run() throws IOException;
  }

  private static void refused(Reading reading, String message) {
    assertThatExceptionOfType(PredicateException.class)
        .isThrownBy(reading::run)
        .withMessageStartingWith(message);
  }

  private static Term term(String variable, String value) {
    return new Term(Template.parse(variable), new Comparison.Equals(Template.parse(value)));
  }

  private static Clause clause(Term... terms) {
    return new Clause(List.of(terms));
  }
}
