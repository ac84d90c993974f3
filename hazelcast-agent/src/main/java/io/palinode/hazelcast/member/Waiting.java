package io.palinode.hazelcast.member;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/** Waits for a member's work of a plan. */
final class Waiting {
  private static final long SECONDS_MAX = 30;

  private Waiting() {}

  /** Throws {@link IllegalStateException} if one fails, or after 30 s. */
  static void forAll(List<? extends CompletableFuture<?>> ends) {
    try {
      CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
          .orTimeout(SECONDS_MAX, TimeUnit.SECONDS)
          .join();
    } catch (CompletionException e) {
      throw new IllegalStateException(
          "the member did not do its part of a plan: " + e.getCause(), e);
    }
  }
}
