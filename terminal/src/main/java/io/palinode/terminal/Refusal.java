package io.palinode.terminal;

import java.io.Serial;

/**
 * The user asked for something that cannot be done as asked: one sentence with the way out, exit
 * status 2.
 */
public sealed class Refusal extends RuntimeException permits Unreachable {
  @Serial private static final long serialVersionUID = 1L;

  public Refusal(String message) {
    super(message);
  }

  public Refusal(String message, Throwable cause) {
    super(message, cause);
  }

  /** Makes a value; may throw an {@link IllegalArgumentException}. */
  @FunctionalInterface
  public interface Make<T, E extends Exception> {
    T make() throws E;
  }

  /** Returns the value that {@code make} makes; refuses the arguments that it refuses. */
  public static <T, E extends Exception> T valid(Make<T, E> make) throws E {
    try {
      return make.make();
    } catch (IllegalArgumentException refused) {
      throw new Refusal(String.valueOf(refused.getMessage()), refused);
    }
  }

  /** As above; the refusal names the option. */
  public static <T, E extends Exception> T valid(String option, Make<T, E> make) throws E {
    try {
      return make.make();
    } catch (IllegalArgumentException refused) {
      throw new Refusal(option + ": " + refused.getMessage(), refused);
    }
  }

  /** Refuses a value outside of [{@code min}, {@code max}]. */
  public static void requireIn(String option, int value, int min, int max) {
    if (value < min || value > max) {
      throw new Refusal("%s must be in [%d, %d]: %d".formatted(option, min, max, value));
    }
  }
}
