package io.palinode.cli.terminal;

import java.io.Console;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Asks before a step that cannot be reversed. */
public final class Confirmation {
  private Confirmation() {}

  /**
   * Returns when the user says yes, or has said it in the command. Throws {@link Refusal}
   * otherwise, also when there is no terminal to ask on.
   *
   * @param question without the answers
   * @param what is to be done, as in "say --yes to …"
   */
  public static void require(boolean yes, String question, String what) {
    if (!yes) {
      ask(System.console(), question, what);
    }
  }

  private static void ask(@Nullable Console terminal, String question, String what) {
    if (terminal == null) {
      throw new Refusal("there is no terminal to ask on: say --yes to " + what);
    }
    String answer = terminal.readLine("%s [y/N] ", question);
    if (answer == null || !answer.strip().toLowerCase(Locale.ROOT).startsWith("y")) {
      throw new Refusal("not done: " + what);
    }
  }
}
