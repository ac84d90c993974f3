package io.palinode.agent.boot;

import org.jspecify.annotations.Nullable;

/** A running woven method. The same thread reports its end, also after an exception. */
public interface Frame {
  /**
   * @param result the method's result; null if it has none, or throws
   * @param thrown the method's exception; null if it returns
   * @return the exception for the caller instead of the result; null to keep the result
   */
  @Nullable RuntimeException ended(@Nullable Object result, @Nullable Throwable thrown);

  /** Whether the method runs again. Called right after {@link #ended} returned null. */
  default boolean repeats() {
    return false;
  }
}
