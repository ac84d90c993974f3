package io.palinode.monitor;

import java.util.function.ToIntFunction;

/** Finds an enum constant by its code in bytes. */
public final class Codes {
  private Codes() {}

  /**
   * Returns the constant with this code. Throws {@link IllegalArgumentException} for an unknown
   * code.
   */
  public static <E extends Enum<E>> E of(E[] constants, ToIntFunction<E> codeOf, int code) {
    for (E constant : constants) {
      if (codeOf.applyAsInt(constant) == code) {
        return constant;
      }
    }
    throw new IllegalArgumentException("a code must be a known one: code=" + code);
  }
}
