package io.palinode.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Words that the project does not use. */
class WordsTest {
  /** Each stands for an idea that the glossary has another word for, or says nothing. */
  private static final Pattern BANNED =
      Pattern.compile(
          "\\b(tell|tells|told|untold|hear|hears|heard|unheard|deaf|whoever|nobody(?!\\(\\))|anew"
              + "|mend|mends|mended|likewise)\\b"
              + "|\\bfor want of\\b|\\btake[sn]? back\\b|\\bcome to nothing\\b|\\bgoes on\\b"
              + "|\\bbut for\\b|\\bas ever\\b|\\ball the same\\b|\\bof its own\\b",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern IN_NAMES =
      Pattern.compile(
          "[a-z](Told|Tells|Heard|Hears|Unheard|Untold|Anew|Nobody)(?![a-z])"
              + "|\\b(told|heard|untold|unheard|tell)[A-Z(]");

  /** Modules whose main sources have plain words; a module enters this list and never leaves it. */
  private static final List<String> PLAIN =
      List.of(
          "hvc",
          "retroscope",
          "predicate-dsl",
          "detection",
          "voldemort-client",
          "examples",
          "launcher",
          "cli",
          "benchmarks",
          "local-detector",
          "wire",
          "rollback-orchestrator",
          "store-node",
          "voldemort",
          "voldemort-agent",
          "monitor-flink");

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

  private static List<Path> sources() throws IOException {
    List<Path> sources = new ArrayList<>();
    for (String module : PLAIN) {
      try (Stream<Path> files = Files.walk(Page.ROOT.resolve(module))) {
        files
            .filter(file -> file.toString().matches(".*\\.(java|proto)"))
            .filter(file -> file.toString().contains("/src/main/"))
            .sorted()
            .forEach(sources::add);
      }
    }
    return sources;
  }
}
