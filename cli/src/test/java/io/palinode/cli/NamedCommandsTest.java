package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.docs.Page;
import io.palinode.docs.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;

/** The command line accepts every palinode command that a page, a help or a message names. */
class NamedCommandsTest {
  private static final Pattern ECHO = Pattern.compile("echo \"(.*)\" >>? (\\w+)");
  private static final Pattern WORD =
      Pattern.compile("\"[^\"]*\"|'[^']*'|#.*|&&|\\|\\|?|;|&|\\d?[<>]+\\s*\\S+|[^\\s;&|<>\"']+");

  private static final Pattern INLINE = Pattern.compile("`((?:\\./)?palinode [^`]+)`");
  private static final Pattern MESSAGE = Pattern.compile("'(palinode [^'\"]+)'");
  private static final CommandLine ROOT = Main.commandLine();
  private static final Pattern JOINED = Pattern.compile("\"\\s*\\+ \"");

  @Test
  void everyCommandInABlockOfAPageIsAccepted() {
    List<String> refused = new ArrayList<>();
    int commands = 0;
    for (Page page : Page.all()) {
      for (List<String> command : commands(page.code())) {
        commands++;
        note(page.name(), command, refusal(command), refused);
      }
    }
    assertThat(refused).isEmpty();
    assertThat(commands).isGreaterThan(80);
  }

  /** Those of systemd, compose and Kubernetes. */
  @Test
  void everyCommandOfThePackagedFilesIsAccepted() throws IOException {
    List<String> lines = new ArrayList<>();
    for (String part : List.of("orchestrator", "detection", "node")) {
      lines.addAll(packaged("systemd/" + part + ".env", "PALINODE_ARGS=(.*)", "run " + part + " "));
    }
    lines.addAll(packaged("container/compose.yaml", " command: (.*)", ""));
    lines.addAll(packaged("kubernetes/palinode.yaml", " args: \\[(.*)]", ""));
    lines.addAll(packaged("kubernetes/palinode.yaml", " args:\n((?: +- .*\n)+)", ""));
    assertThat(lines).hasSize(3 + 5 + 3);
    List<String> refused = new ArrayList<>();
    for (List<String> command : commands(lines)) {
      note("packaging", command, refusal(command), refused);
    }
    assertThat(refused).isEmpty();
  }

  /** The first group of each match, as a command. */
  private static List<String> packaged(String file, String pattern, String before)
      throws IOException {
    String text = Files.readString(Path.of("../packaging").resolve(file));
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map(found -> found.group(1).replaceAll("\n? +- |,? ", " ").replace("$(POD_INDEX)", "0"))
        .map(arguments -> "palinode " + before + arguments.strip())
        .toList();
  }

  @Test
  void aLineCanHoldSeveralCommands() {
    List<String> lines =
        List.of(
            "$ HEAP=4g ./palinode put a '1 2' && palinode status \\",
            "  -o json | jq . > x # palinode up");
    assertThat(commands(lines))
        .containsExactly(List.of("put", "a", "1 2"), List.of("status", "-o", "json"));
  }

  @Test
  void theBlocksOfExamplesAreAmongThem() {
    List<String> pages =
        Page.all().stream()
            .filter(page -> !commands(page.code()).isEmpty())
            .map(Page::name)
            .toList();
    assertThat(pages).contains("README.md", "examples/carts/README.md");
  }

  @Test
  void everyExampleOfAHelpIsAccepted() {
    List<String> refused = new ArrayList<>();
    int commands = 0;
    for (CommandLine command : all(ROOT)) {
      List<String> lines =
          Stream.of(command.getCommandSpec().usageMessage().footer())
              .map(line -> line.replaceFirst("^Examples?:", "").strip().replaceFirst("   .*", ""))
              .toList();
      for (List<String> example : commands(lines)) {
        commands++;
        note(command.getCommandSpec().qualifiedName(), example, refusal(example), refused);
      }
    }
    assertThat(refused).isEmpty();
    assertThat(commands).isGreaterThan(60);
  }

  /** Running text may leave out values: {@code palinode rollback approve}. */
  @Test
  void everyCommandThatTextNamesExists() throws IOException {
    List<String> refused = new ArrayList<>();
    int commands = 0;
    for (Page page : Page.all()) {
      for (String named : named(INLINE, String.join("\n", page.prose()))) {
        commands++;
        noteNamed(page.name(), named, refused);
      }
    }
    for (Path source : sources()) {
      String joined = JOINED.matcher(Files.readString(source)).replaceAll("");
      for (String named : named(MESSAGE, joined)) {
        commands++;
        noteNamed(source.toString(), named.replaceAll("%[sd]", "7"), refused);
      }
    }
    assertThat(refused).isEmpty();
    assertThat(commands).isGreaterThan(140);
  }

  private static List<String> named(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(found -> found.group(1)).toList();
  }

  private static void noteNamed(String where, String named, List<String> refused) {
    for (List<String> command : commands(List.of(named.replace('\n', ' ')))) {
      ParameterException refusal = refusal(command);
      note(where, command, refusal instanceof MissingParameterException ? null : refusal, refused);
    }
  }

  private static void note(
      String where,
      List<String> command,
      @Nullable ParameterException refusal,
      List<String> refused) {
    if (refusal != null) {
      refused.add("%s: %s: %s".formatted(where, String.join(" ", command), refusal.getMessage()));
    }
  }

  /** Why the command line does not accept it; null: it does. */
  private static @Nullable ParameterException refusal(List<String> command) {
    try {
      var unused = ROOT.parseArgs(command.toArray(String[]::new));
      return null;
    } catch (ParameterException e) {
      return e;
    }
  }

  /** The arguments of each palinode command in lines of a shell. */
  private static List<List<String>> commands(List<String> lines) {
    List<List<String>> commands = new ArrayList<>();
    StringBuilder whole = new StringBuilder();
    for (String line : withFilesOfOptions(lines)) {
      whole.append(line.replaceAll("\\\\$", " "));
      if (!line.endsWith("\\")) {
        for (List<String> words : simpleCommands(whole.toString())) {
          String first = words.isEmpty() ? "" : words.get(0);
          if (first.equals("palinode") || first.equals("./palinode")) {
            commands.add(words.subList(1, words.size()));
          }
        }
        whole.setLength(0);
      }
    }
    return commands;
  }

  /** With what the lines have written to a file in place of each {@code @file}. */
  private static List<String> withFilesOfOptions(List<String> lines) {
    Map<String, String> files = new HashMap<>();
    List<String> whole = new ArrayList<>();
    for (String line : lines) {
      Matcher echo = ECHO.matcher(line);
      if (echo.matches()) {
        files.merge("@" + echo.group(2), echo.group(1), (first, next) -> first + " " + next);
      }
      String replaced = line;
      for (Map.Entry<String, String> file : files.entrySet()) {
        replaced = replaced.replace(file.getKey(), file.getValue());
      }
      whole.add(replaced);
    }
    return whole;
  }

  /** A line without its prompt, settings of variables, redirections, comment. */
  private static List<List<String>> simpleCommands(String line) {
    List<List<String>> commands = new ArrayList<>();
    List<String> words = new ArrayList<>();
    for (String word : WORD.matcher(line).results().map(MatchResult::group).toList()) {
      if (word.matches("&&|\\|\\|?|;|&")) {
        commands.add(words);
        words = new ArrayList<>();
      } else if (!word.matches("#.*|\\d?[<>].*|…")
          && !(words.isEmpty() && word.matches("\\$|\\w+=.*"))) {
        words.add(word.replaceAll("^[\"']|[\"']$", "").replaceFirst("^EPOCH$", "7"));
      }
    }
    commands.add(words);
    return commands;
  }

  private static List<CommandLine> all(CommandLine root) {
    List<CommandLine> all = new ArrayList<>(List.of(root));
    root.getSubcommands().values().forEach(sub -> all.addAll(all(sub)));
    return all;
  }

  private static List<Path> sources() {
    return SourceTree.files().stream()
        .filter(file -> file.toString().matches(".*/src/main/java/.*\\.java"))
        .toList();
  }
}
