package io.palinode.agent.boot;

import org.jspecify.annotations.Nullable;

/** A woven method that is under way. Its end is told however it ends, by the same thread. */
public interface Frame {
  /**
   * @param result what the method returns; null when it returns nothing, or throws
   * @param thrown what it throws; null when it returns
   * @return what the caller is to get instead of the result; null: leave it
   */
  @Nullable RuntimeException ended(@Nullable Object result, @Nullable Throwable thrown);

  /** Whether the method is to run once more. Asked right after {@link #ended} has left its end. */
  default boolean repeats() {
    return false;
  }
}
