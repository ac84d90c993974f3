package io.palinode.predicate.form;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.predicate.Predicate;
import io.palinode.predicate.lint.Lint;
import io.palinode.predicate.text.Vocabulary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What {@code docs/reference/predicates.md} shows is so. */
class DocumentationTest {
  private static final Path PAGE = Path.of("../docs/reference/predicates.md");
  private static final Path REFUSED = Path.of("src/test/resources/refused");
  private static final Path EXAMPLES = Path.of("src/test/resources/predicates");

  @Test
  void everyExampleIsAPredicate() throws IOException {
    List<Predicate> predicates = new ArrayList<>();
    for (String kind : List.of("yaml", "xml")) {
      for (String block : blocks(kind)) {
        predicates.add(Predicates.parse(block, PAGE.toString()));
      }
    }
    assertThat(predicates)
        .extracting(Predicate::name)
        .containsExactly(
            "edge-mutex",
            "one-leader",
            "one-holder",
            "overbooked",
            "credit",
            "bank",
            "two-clauses-active",
            "stuck-order",
            "settled-bank",
            "unanswered-order",
            "carts-agree",
            "oversold",
            "no-lost-update",
            "no-stale-read",
            "proper-colouring",
            "ordered-mutex",
            "guarded-mutex",
            "careful",
            "edge-mutex",
            "all-clauses",
            "carts-agree",
            "predicates");
    assertThat(predicates.get(0)).isEqualTo(Predicates.read(EXAMPLES.resolve("edge-mutex.yaml")));
  }

  @Test
  void everyErrorIsWhatTheFileOfThatNameIsRefusedWith() throws IOException {
    List<String> errors = blocks("text").get(0).lines().toList();
    assertThat(errors).hasSizeGreaterThan(10);
    for (String error : errors) {
      String file = error.substring(0, error.indexOf(':'));
      String expected = error.substring(error.indexOf(':') + 1);
      assertThat(Files.readAllLines(REFUSED.resolve(file)).get(0)).contains(expected);
    }
  }

  @Test
  void theFirstExampleIsFoundToBeWhatLintIsShownToSay() throws IOException {
    List<Lint.Finding> found = Lint.of(blocks("yaml").get(0), "edge-mutex.yaml", Set.of());
    assertThat(found).hasSize(1);
    assertThat(blocks("console").get(1))
        .isEqualTo(
            "$ palinode lint edge-mutex.yaml\n%s: %s: %s: %s; %s\n"
                .formatted(
                    found.get(0).place(),
                    found.get(0).check().word(),
                    found.get(0).predicate(),
                    found.get(0).sentence(),
                    found.get(0).wayOut()));
  }

  @Test
  void everyPlannedWordIsNamed() throws IOException {
    String page = Files.readString(PAGE);
    String planned = page.substring(page.indexOf("## Not supported yet"));
    assertThat(Vocabulary.PLANNED_CLAUSES)
        .allSatisfy(word -> assertThat(planned).contains("`" + word));
  }

  private static List<String> blocks(String kind) throws IOException {
    Matcher fence =
        Pattern.compile("^```" + kind + "\n(.*?)^```", Pattern.DOTALL | Pattern.MULTILINE)
            .matcher(Files.readString(PAGE));
    List<String> blocks = new ArrayList<>();
    while (fence.find()) {
      blocks.add(fence.group(1));
    }
    return blocks;
  }
}
