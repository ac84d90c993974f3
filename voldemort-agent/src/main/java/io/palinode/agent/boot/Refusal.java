package io.palinode.agent.boot;

import org.jspecify.annotations.Nullable;

/** Stops a method before it runs; its caller gets this exception. Intended, unlike a bug's. */
public record Refusal(RuntimeException exception) implements Frame {
  @Override
  public @Nullable RuntimeException ended(@Nullable Object result, @Nullable Throwable thrown) {
    return null;
  }
}
