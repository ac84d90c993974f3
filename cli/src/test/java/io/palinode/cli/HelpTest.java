package io.palinode.cli;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Every command explains itself. */
class HelpTest {
  /** Picocli formats what it prints; what it cannot format it prints with a warning. */
  @Test
  void everyHelpTextCanBeFormatted() {
    for (CommandLine command : commands(Main.commandLine())) {
      UsageMessageSpec usage = command.getCommandSpec().usageMessage();
      List<String> texts = new ArrayList<>(List.of(usage.description()));
      texts.addAll(List.of(usage.footer()));
      command
          .getCommandSpec()
          .args()
          .forEach(argument -> texts.addAll(List.of(argument.description())));
      for (String text : texts) {
        assertThatCode(() -> String.format(text))
            .as("%s: %s", command.getCommandSpec().qualifiedName(), text)
            .doesNotThrowAnyException();
      }
    }
  }

  @Test
  void everyCommandSaysWhatItIsFor() {
    for (CommandLine command : commands(Main.commandLine())) {
      StringWriter out = new StringWriter();
      command.usage(new PrintWriter(out, true));
      assertThat(command.getCommandSpec().usageMessage().description())
          .as(command.getCommandSpec().qualifiedName())
          .isNotEmpty();
      assertThat(out.toString()).contains("Usage:");
    }
  }

  @Test
  void aCommandThatIsLoadedAloneExplainsItselfAlike() {
    int all = Main.commandLine().getSubcommands().size();
    for (CommandLine command : Main.commandLine().getSubcommands().values()) {
      String name = command.getCommandName();
      CommandLine alone = Main.commandLine(Main.needed(name, "--help"));
      assertThat(
              commands(requireNonNull(alone.getSubcommands().get(name))).stream()
                  .map(HelpTest::usage))
          .isEqualTo(commands(command).stream().map(HelpTest::usage).toList());
      assertThat(alone.getSubcommands()).hasSize(name.equals("completion") ? all : 1);
    }
  }

  @Test
  void allCommandsAreLoadedForAWordThatIsNone() {
    assertThat(Main.needed("gte", "nodes"))
        .hasSizeGreaterThan(1)
        .isEqualTo(Main.needed())
        .hasSameSizeAs(Main.commandLine().getSubcommands().values());
  }

  @Test
  void theVersionNeedsNoCommand() {
    StringWriter out = new StringWriter();
    CommandLine line = Main.commandLine(Main.needed("--version"));
    assertThat(line.getSubcommands()).isEmpty();
    assertThat(line.setOut(new PrintWriter(out, true)).execute("--version")).isZero();
    assertThat(out.toString()).startsWith("palinode ");
  }

  private static String usage(CommandLine command) {
    return command.getUsageMessage(CommandLine.Help.Ansi.OFF);
  }

  private static List<CommandLine> commands(CommandLine root) {
    List<CommandLine> all = new ArrayList<>(List.of(root));
    for (CommandLine sub : root.getSubcommands().values()) {
      all.addAll(commands(sub));
    }
    return all;
  }
}
