package io.palinode.cli.options;

import io.palinode.terminal.Refusal;
import java.io.Console;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Asks before a step that cannot be reversed; a picocli mixin. */
public final class Confirmation {
  @Option(
      names = {"-y", "--yes"},
      description = "Do not ask.")
  private boolean yes;

  /** Whether the command line has {@code --yes}. */
  public boolean isGiven() {
    return yes;
  }

  /**
   * Returns when the user says yes, or has said it in the command. Throws {@link Refusal}
   * otherwise, also when there is no terminal to ask on.
   *
   * @param question without the answers
   * @param what is to be done, as in "say --yes to …"
   */
  public void require(String question, String what) {
    if (!yes) {
      ask(System.console(), question, what);
    }
  }

  private static void ask(@Nullable Console terminal, String question, String what) {
    if (terminal == null) {
      throw new Refusal("there is no terminal for the question: add --yes to " + what);
    }
    String answer = terminal.readLine("%s [y/N] ", question);
    if (answer == null || !answer.strip().toLowerCase(Locale.ROOT).startsWith("y")) {
      throw new Refusal("not done: " + what);
    }
  }
}
