package io.palinode.monitor;

import java.util.function.ToIntFunction;

/** The constants of an enum by the codes that stand for them in bytes. */
public final class Codes {
  private Codes() {}

  /** Throws {@link IllegalArgumentException} for a code that none has. */
  public static <E extends Enum<E>> E of(E[] constants, ToIntFunction<E> codeOf, int code) {
    for (E constant : constants) {
      if (codeOf.applyAsInt(constant) == code) {
        return constant;
      }
    }
    throw new IllegalArgumentException("a code must be a known one: code=" + code);
  }
}
