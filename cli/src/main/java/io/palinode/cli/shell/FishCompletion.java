package io.palinode.cli.shell;

import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** The completion script of fish: a line a command and a line an option. */
final class FishCompletion {
  private static final int DESCRIPTION_MAX = 60;

  /** {@code is}: exactly these commands were typed; {@code in}: at first these. */
  private static final String FUNCTIONS =
      """
      function __NAME_words
        commandline -opc | tail -n +2 | string match -v -- '-*' | string join ' '
      end
      function __NAME_is
        test "$(__NAME_words)" = "$argv"
      end
      function __NAME_in
        string match -q -- "$argv *" "$(__NAME_words) "
      end
      complete -c NAME -f
      """;

  private FishCompletion() {}

  static String of(CommandLine root) {
    String name = root.getCommandName();
    return FUNCTIONS.replace("NAME", name)
        + lines(name, root, "").map(line -> line + "\n").collect(Collectors.joining());
  }

  /** {@code path}: the commands from the root, each with a blank before it. */
  private static Stream<String> lines(String name, CommandLine command, String path) {
    String start = "complete -c %s -n '__%s_".formatted(name, name);
    Stream<String> options =
        command.getCommandSpec().options().stream()
            .filter(option -> !option.hidden())
            .map(option -> start + "in" + path + "'" + option(option));
    Stream<String> commands =
        command.getSubcommands().values().stream()
            .distinct()
            .flatMap(
                sub -> {
                  String word = sub.getCommandName();
                  String[] about = sub.getCommandSpec().usageMessage().description();
                  String line = start + "is" + path + "' -a " + word + description(about);
                  return Stream.concat(Stream.of(line), lines(name, sub, path + " " + word));
                });
    Stream<String> words =
        command.getCommandSpec().positionalParameters().stream()
            .filter(word -> word.completionCandidates() != null)
            .map(word -> start + "is" + path + "'" + values(word.completionCandidates()));
    return Stream.of(options, words, commands).flatMap(lines -> lines);
  }

  private static String option(OptionSpec option) {
    StringBuilder text = new StringBuilder();
    for (String name : option.names()) {
      text.append(name.startsWith("--") ? " -l " : " -s ").append(name.replaceFirst("^-+", ""));
    }
    if (option.arity().max() > 0) {
      text.append(" -r");
      if (option.completionCandidates() != null) {
        text.append(values(option.completionCandidates()));
      }
    }
    return text + description(option.description());
  }

  private static String values(Iterable<String> all) {
    return " -a '" + String.join(" ", all).toLowerCase(Locale.ROOT) + "'";
  }

  /** One line, without what quotes or expands. */
  private static String description(String[] about) {
    if (about.length == 0) {
      return "";
    }
    String line = about[0].replaceAll("\\$\\{[^}]*}", "…").replaceAll("[\\s'\\\\]+", " ");
    String cut =
        line.length() <= DESCRIPTION_MAX ? line : line.substring(0, DESCRIPTION_MAX).strip() + "…";
    return " -d '" + cut + "'";
  }
}
