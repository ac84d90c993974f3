package io.palinode.predicate.form;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.palinode.predicate.text.PredicateException;
import io.palinode.predicate.text.Vocabulary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each file of {@code refused} says in a comment on its first line how it is refused: {@code
 * line:column: reason}.
 */
class RefusalTest {
  private static final Path FILES = Path.of("src/test/resources/refused");

  static List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(FILES)) {
      return files.sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("files")
  void theMessageNamesPlaceConstructAndWayOut(Path file) throws IOException {
    String text = Files.readString(file);
    String source = file.getFileName().toString();
    assertThatExceptionOfType(PredicateException.class)
        .isThrownBy(() -> Predicates.parse(text, source))
        .withMessage(source + ":" + expected(text));
  }

  @Test
  void thereIsAFileForEachPlannedConstruct() throws IOException {
    String all = String.join("\n", readAll());
    assertThat(Vocabulary.PLANNED_CLAUSES)
        .allSatisfy(word -> assertThat(all).contains("'" + word + "' is not supported yet"));
  }

  private static List<String> readAll() throws IOException {
    return files().stream()
        .map(
            file -> {
              try {
                return Files.readString(file);
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            })
        .toList();
  }

  private static String expected(String text) {
    String first = text.lines().findFirst().orElseThrow();
    return first.replaceFirst("^(# |<!-- )", "").replaceFirst(" -->$", "");
  }
}
