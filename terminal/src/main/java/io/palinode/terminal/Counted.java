package io.palinode.terminal;

import java.util.Locale;

/** A number with its noun. */
public final class Counted {
  private Counted() {}

  /** {@code 1 search}, {@code 2,000 searches}. */
  public static String of(long count, String one, String many) {
    return String.format(Locale.ROOT, "%,d %s", count, count == 1 ? one : many);
  }
}
