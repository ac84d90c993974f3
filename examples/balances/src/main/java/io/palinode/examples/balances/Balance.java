package io.palinode.examples.balances;

import org.jspecify.annotations.Nullable;

/**
 * The value of an account: {@code 12 teller-0.7}.
 *
 * @param update names the update that wrote it; no other update has this name
 */
public record Balance(long amount, String update) {
  /** An absent balance is 0. */
  static long amount(@Nullable String text) {
    return text == null ? 0 : parse(text).amount();
  }

  /** Throws {@link IllegalArgumentException} if the text is no balance. */
  public static Balance parse(String text) {
    int space = text.indexOf(' ');
    if (space < 1) {
      throw new IllegalArgumentException("a balance is an amount and an update: '" + text + "'");
    }
    return new Balance(Long.parseLong(text.substring(0, space)), text.substring(space + 1));
  }

  @Override
  public String toString() {
    return amount + " " + update;
  }
}
