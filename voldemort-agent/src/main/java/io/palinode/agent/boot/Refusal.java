package io.palinode.agent.boot;

import org.jspecify.annotations.Nullable;

/** A method is not to run: its caller gets this exception. On purpose, unlike one of a bug. */
public record Refusal(RuntimeException exception) implements Frame {
  @Override
  public @Nullable RuntimeException ended(@Nullable Object result, @Nullable Throwable thrown) {
    return null;
  }
}
