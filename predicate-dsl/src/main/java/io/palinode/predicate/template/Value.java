package io.palinode.predicate.template;

import org.jspecify.annotations.Nullable;

/** The value of a key as terms read it: text, and a decimal when one asks. For one thread. */
public final class Value {
  private final String text;
  private @Nullable Decimal decimal;
  private boolean decimalRead;

  public Value(String text) {
    this.text = text;
  }

  public String text() {
    return text;
  }

  /** Null when the text is no decimal. Read at most once, however many terms ask. */
  public @Nullable Decimal decimal() {
    if (!decimalRead) {
      decimal = Decimal.read(text);
      decimalRead = true;
    }
    return decimal;
  }

  /** Whether a term asked for a decimal and there was none. */
  public boolean isRefused() {
    return decimalRead && decimal == null;
  }
}
