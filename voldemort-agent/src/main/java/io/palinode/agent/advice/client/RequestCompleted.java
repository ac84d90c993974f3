package io.palinode.agent.advice.client;

import io.palinode.agent.boot.Hooks;
import io.palinode.agent.boot.Ride;
import net.bytebuddy.asm.Advice;
import org.jspecify.annotations.Nullable;

/**
 * {@code NonblockingStoreCallbackClientRequest.complete} and {@code timeOut}: the waiting thread
 * may cause further requests, such as hints.
 */
public final class RequestCompleted {
  private RequestCompleted() {}

  @Advice.OnMethodEnter
  static @Nullable Ride enter(@Advice.FieldValue("clientRequest") @Nullable Object request) {
    return Hooks.continues(request);
  }

  @Advice.OnMethodExit(onThrowable = Throwable.class)
  static void exit(@Advice.Enter @Nullable Ride before) {
    Hooks.continued(before);
  }
}
