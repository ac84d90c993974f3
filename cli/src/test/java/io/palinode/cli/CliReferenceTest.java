package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/**
 * {@code docs/reference/cli.md} is what {@code --help} prints. {@code -Dpalinode.docs.write=true}
 * writes it.
 */
class CliReferenceTest {
  private static final Path PAGE = Path.of("../docs/reference/cli.md");
  private static final int WIDTH = 98;

  @Test
  void thePageHoldsTheHelpOfEveryCommand() throws IOException {
    String expected = page();
    if (Boolean.getBoolean("palinode.docs.write")) {
      Files.writeString(PAGE, expected);
    }
    assertThat(Files.readString(PAGE)).isEqualTo(expected);
  }

  private static String page() {
    StringBuilder page = new StringBuilder("# The `palinode` command\n\n");
    page.append("This page is generated from the commands' help.\n");
    append(Main.commandLine(), page);
    return page.toString();
  }

  private static void append(CommandLine command, StringBuilder page) {
    command.setUsageHelpWidth(WIDTH);
    page.append("\n## %s\n\n```text\n".formatted(command.getCommandSpec().qualifiedName()));
    command
        .getUsageMessage(Ansi.OFF)
        .lines()
        .map(String::stripTrailing)
        .forEach(line -> page.append(line).append('\n'));
    page.append("```\n");
    command.getSubcommands().values().stream().distinct().forEach(sub -> append(sub, page));
  }
}
