package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.docs.Page;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.ParameterException;

/** Every palinode command in a block of a page is one that the command line accepts. */
class CommandBlocksTest {
  private static final Pattern COMMAND = Pattern.compile("^\\s*(\\$ )?(\\./)?palinode (.*)$");
  private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|'([^']*)'|(\\S+)");
  private static final Pattern END = Pattern.compile("\\s(#|\\||>|2>|<|&|;|&&)(\\s.*|$)");

  @Test
  void everyCommandInABlockIsAccepted() {
    List<String> refused = new ArrayList<>();
    int commands = 0;
    for (Page page : Page.all()) {
      for (String command : commands(page)) {
        commands++;
        String reason = refusal(command);
        if (reason != null) {
          refused.add("%s: palinode %s: %s".formatted(page.name(), command, reason));
        }
      }
    }
    assertThat(refused).isEmpty();
    assertThat(commands).isGreaterThan(20);
  }

  /** Why the command line does not accept it; null: it does. */
  private static @Nullable String refusal(String command) {
    List<String> words = new ArrayList<>();
    Matcher word = WORD.matcher(command);
    while (word.find()) {
      words.add(word.group().replaceAll("^[\"']|[\"']$", ""));
    }
    try {
      var unused = Main.commandLine().parseArgs(words.toArray(String[]::new));
      return null;
    } catch (ParameterException e) {
      return e.getMessage();
    }
  }

  private static List<String> commands(Page page) {
    List<String> commands = new ArrayList<>();
    StringBuilder whole = new StringBuilder();
    for (String line : page.code()) {
      whole.append(line.replaceAll("\\\\$", " "));
      if (!line.endsWith("\\")) {
        Matcher command = COMMAND.matcher(whole);
        if (command.matches()) {
          commands.add(END.matcher(command.group(3)).replaceAll(""));
        }
        whole.setLength(0);
      }
    }
    return commands;
  }
}
