package io.palinode.predicate.form;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.palinode.predicate.Predicate;
import io.palinode.predicate.text.PredicateException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Text from anyone is read as a predicate or refused with its place; nothing else happens. */
class HostileTextTest {
  private static final int SEEDS = 5_000;
  private static final Path EXAMPLES = Path.of("src/test/resources/predicates");

  @ParameterizedTest
  @ValueSource(
      strings = {"proper-colouring.yaml", "edge-mutex.xml", "paper.xml", "stock.yaml", "stock.xml"})
  void aDamagedFileIsReadOrRefusedWithItsPlace(String example) throws IOException {
    String text = Files.readString(EXAMPLES.resolve(example));
    int refused = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      String damaged = damage(text, new Random(seed));
      try {
        Predicate predicate = Predicates.parse(damaged, "x");
        assertThat(Predicates.parse(Predicates.toYaml(predicate), "x"))
            .as("seed %d", seed)
            .isEqualTo(predicate);
      } catch (PredicateException refusal) {
        assertThat(refusal).as("seed %d", seed).message().matches("(?s)x:[1-9]\\d*:[1-9]\\d*: .+");
        refused++;
      }
    }
    assertThat(refused).isBetween(SEEDS / 4, SEEDS - 1);
  }

  @Test
  void entitiesThatMultiplyAreRefused() {
    refused(
        """
        <!DOCTYPE predicate [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
        <predicate><conjClause><var><name>&b;</name><value>1</value></var></conjClause></predicate>
        """,
        "x:1:1: a document type is not allowed in XML");
  }

  @Test
  void aliasesThatMultiplyAreRefused() {
    refused(
        "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n",
        "x:2:8: YAML aliases are not supported: '*a'");
  }

  @Test
  void aLineOnWhichTheYamlParserTakesSecondsIsRefusedBeforeItIsParsed() {
    refused(
        "kind: Predicate\nmetadata: {name: \"" + "a".repeat(3_900_000) + "\"}\n",
        "x:2:1: a line must have at most 262144 characters, because long values take long to read;"
            + " break it into lines: it has 3900020");
  }

  @Test
  void aValueOfAMegabyteIsNotEchoed() {
    String value = "a ".repeat(100_000);
    for (String text :
        List.of(
            "kind: \"" + value + "\"\n",
            "apiVersion: palinode.io/v1\nkind: Predicate\nmetadata: {name: \"" + value + "\"}\n",
            "\"" + value + "\": 1\n",
            "<predicate><" + "a".repeat(100_000) + "/></predicate>",
            "<predicate><type>" + value + "</type></predicate>")) {
      assertThatExceptionOfType(PredicateException.class)
          .isThrownBy(() -> Predicates.parse(text, "x"))
          .satisfies(refusal -> assertThat(refusal.getMessage()).hasSizeBetween(10, 2_001));
    }
  }

  @Test
  void deepNestingIsRefused() {
    refused("[".repeat(100_000), "x:1:33: YAML must be nested at most 32 deep: depth=33");
    refused("<predicate>".repeat(100_000), "x:1:12: unknown element 'predicate' in <predicate>");
  }

  @ParameterizedTest
  @CsvSource({
    "x:4:45, matches: '((((.{999}){999}){999}){999})', a regular expression must compile to at most",
    "x:4:45, matches: '((((((((((', 'a regular expression must be one of RE2, missing closing )'",
    "x:4:43, below: 1e999999999, a decimal must be a number",
    "x:4:43, below: 1e-999999999, a decimal must be a number",
    "x:4:44, atMost: 0x7FFFFFFF, a decimal must be a number",
  })
  void numbersAndExpressionsThatExplodeAreRefused(String place, String comparison, String reason) {
    refused(
        """
        apiVersion: palinode.io/v1
        kind: Predicate
        metadata: {name: p}
        spec: {violation: [{all: [{var: x, %s}]}]}
        """
            .formatted(comparison),
        place + ": " + reason);
  }

  @Test
  void aNumberOfAMillionDigitsIsRefusedInFewWords() {
    String digits = "9".repeat(1_000_000);
    refused(
        "<predicate><violation><all><term var='x' below='"
            + digits
            + "'/></all></violation></predicate>",
        "x:1:28: a decimal must be a number like -12.5 or 1e3 with at most 100 digits and an exponent"
            + " within 999: '999");
  }

  @Test
  void aListThatIsTooLongIsRefused() {
    refused(
        "<predicate><violation><all><term var='x'>"
            + "<in>1</in>".repeat(1_001)
            + "</term></all></violation></predicate>",
        "x:1:42: in must list 1 to 1000 values: values=1001");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ISO-8859-1", "UTF-16"})
  void xmlThatDeclaresAnotherEncodingIsRefused(String encoding) {
    refused(
        "<?xml version=\"1.0\" encoding=\"" + encoding + "\"?><predicate/>",
        "x:1:1: the encoding of XML must be UTF-8: '" + encoding + "'");
  }

  private static void refused(String text, String message) {
    assertThatExceptionOfType(PredicateException.class)
        .isThrownBy(() -> Predicates.parse(text, "x"))
        .withMessageStartingWith(message);
  }

  /** One to three edits: a piece lost, doubled, moved, or a character that means something. */
  private static String damage(String text, Random random) {
    StringBuilder damaged = new StringBuilder(text);
    for (int edits = 1 + random.nextInt(3); edits > 0; edits--) {
      int from = random.nextInt(damaged.length());
      int to = Math.min(damaged.length(), from + 1 + random.nextInt(12));
      String piece = damaged.substring(from, to);
      int at = random.nextInt(damaged.length());
      switch (random.nextInt(5)) {
        case 0 -> damaged.delete(from, to);
        case 1 -> damaged.insert(from, piece);
        case 2 -> damaged.insert(at, piece);
        case 3 ->
            damaged.insert(at, "<>&\"'{}[]:,-#*!|\\%@\t\n\r \0é\uD83D".charAt(random.nextInt(26)));
        default -> damaged.setCharAt(from, (char) (' ' + random.nextInt(95)));
      }
    }
    return damaged.toString();
  }
}
