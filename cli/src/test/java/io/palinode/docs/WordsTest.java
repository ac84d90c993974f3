package io.palinode.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Words that the project does not use. */
class WordsTest {
  /** Each stands for an idea that the glossary has another word for, or says nothing. */
  private static final List<String> BANNED_WORDS =
      List.of(
          "tell",
          "tells",
          "told",
          "untold",
          "hear",
          "hears",
          "heard",
          "unheard",
          "deaf",
          "whoever",
          "nobody(?!\\(\\))",
          "anew",
          "mend",
          "mends",
          "mended",
          "likewise",
          "lives",
          "dies",
          "a life",
          "its life",
          "for want of",
          "takes? back",
          "taken back",
          "took back",
          "lost coverage",
          "come to nothing",
          "goes on",
          "but for",
          "as ever",
          "all the same",
          "of its own");

  private static final Pattern BANNED =
      Pattern.compile("\\b(" + String.join("|", BANNED_WORDS) + ")\\b", Pattern.CASE_INSENSITIVE);

  private static final Pattern IN_NAMES =
      Pattern.compile(
          "[a-z](Told|Tells|Heard|Hears|Unheard|Untold|Anew|Nobody)(?![a-z])"
              + "|\\b(told|heard|untold|unheard|tell)[A-Z(]");

  @Test
  void noPageHasABannedWord() {
    List<String> found = new ArrayList<>();
    for (Page page : Page.all()) {
      find(page.name(), page.prose(), BANNED, found);
    }
    assertThat(found).isEmpty();
  }

  @Test
  void noSourceHasABannedWord() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path file : sources()) {
      String name = Page.ROOT.relativize(file).toString();
      List<String> lines = Files.readAllLines(file);
      find(name, lines, BANNED, found);
      find(name, lines, IN_NAMES, found);
    }
    assertThat(found).isEmpty();
  }

  private static void find(String name, List<String> lines, Pattern words, List<String> found) {
    for (int i = 0; i < lines.size(); i++) {
      Matcher word = words.matcher(lines.get(i));
      if (word.find()) {
        found.add("%s:%d: %s".formatted(name, i + 1, word.group()));
      }
    }
  }

  /** The sources and tests of all modules, except this list of words. */
  private static List<Path> sources() {
    return SourceTree.files().stream()
        .filter(file -> file.toString().matches(".*/src/(main|test)/.*\\.(java|proto)"))
        .filter(file -> !file.endsWith("WordsTest.java"))
        .toList();
  }
}
