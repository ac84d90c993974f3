package io.palinode.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The scripts of .ci follow every block of commands, or a comment before it gives the reason. */
class FollowedPagesTest {
  private static final Pattern NAMED = Pattern.compile("[\\w./-]+\\.md(?:#\\w+)?");
  private static final Pattern FENCE = Pattern.compile("```(\\w*)");
  private static final Pattern NOT_RUN = Pattern.compile("<!-- not run: \\S+");

  private static final Pattern TEST = Pattern.compile("[A-Z]\\w+(?:Test|IT)\\b");

  /** Of a whole page. */
  private static final Pattern NOTHING_RUN = Pattern.compile("<!-- nothing is run: \\S+");

  /** In a block of any language, also one that is named as text. */
  private static final Pattern COMMAND =
      Pattern.compile(
          "(\\$ )?(\\./)?(palinode|mvn|java|jshell|flink|curl|openssl|chronyc|docker|kubectl) .*");

  @Test
  void everyBlockOfCommandsIsFollowedOrGivesTheReason() throws IOException {
    Set<String> followed = followed();
    List<String> unexplained = new ArrayList<>();
    int run = 0;
    for (Page page : Page.all()) {
      for (Block block : blocks(page)) {
        if (block.isRun(page.name(), followed)) {
          run++;
        } else if (!block.explained()) {
          unexplained.add("%s:%d".formatted(page.name(), block.line()));
        }
      }
    }
    assertThat(unexplained).isEmpty();
    assertThat(run).isGreaterThan(20);
  }

  @Test
  void everyPageThatAScriptFollowsExists() throws IOException {
    assertThat(followed())
        .hasSizeGreaterThan(4)
        .allSatisfy(page -> assertThat(Page.ROOT.resolve(page.replaceFirst("#.*", ""))).exists());
  }

  @Test
  void everyTestThatAReasonNamesExists() {
    Set<String> sources =
        SourceTree.files().stream()
            .map(file -> file.getFileName().toString())
            .collect(Collectors.toSet());
    for (Page page : Page.all()) {
      for (String line : page.lines()) {
        if (NOT_RUN.matcher(line).find()) {
          assertThat(TEST.matcher(line).results().map(named -> named.group() + ".java"))
              .as("%s: %s", page.name(), line)
              .allMatch(sources::contains);
        }
      }
    }
  }

  /** The pages, and sections as PAGE#SECTION, from the repository's root. */
  private static Set<String> followed() throws IOException {
    Set<String> followed = new TreeSet<>();
    try (Stream<Path> scripts = Files.list(Page.ROOT.resolve(".ci"))) {
      for (Path script : scripts.toList()) {
        for (String line : Files.readAllLines(script)) {
          if (!line.matches("\\s*(#|echo).*")) {
            NAMED
                .matcher(line)
                .results()
                .map(named -> Path.of("docs").resolve(named.group()).normalize().toString())
                .forEach(followed::add);
          }
        }
      }
    }
    return followed;
  }

  /** Those with commands. */
  private static List<Block> blocks(Page page) {
    List<Block> blocks = new ArrayList<>();
    boolean nothing = page.lines().stream().anyMatch(line -> NOTHING_RUN.matcher(line).find());
    boolean explained = false;
    String section = "";
    for (int i = 0; i < page.lines().size(); i++) {
      String line = page.lines().get(i);
      Matcher fence = FENCE.matcher(line.strip());
      if (fence.matches()) {
        int start = i;
        boolean commands = fence.group(1).equals("sh");
        int indent = line.indexOf('`');
        for (i++; !page.lines().get(i).strip().equals("```"); i++) {
          String content = page.lines().get(i);
          commands |=
              COMMAND.matcher(content.substring(Math.min(indent, content.length()))).matches();
        }
        if (commands) {
          blocks.add(new Block(start + 1, fence.group(1), section, explained || nothing));
        }
        explained = false;
      } else if (line.startsWith("## ")) {
        section = line.substring(3);
      } else {
        explained |= NOT_RUN.matcher(line).find();
      }
    }
    return blocks;
  }

  private record Block(int line, String language, String section, boolean explained) {
    /** Whether a script follows it; a script passes over what is explained. */
    boolean isRun(String page, Set<String> followed) {
      return language.equals("sh")
          && !explained
          && (followed.contains(page) || followed.contains(page + "#" + section));
    }
  }
}
