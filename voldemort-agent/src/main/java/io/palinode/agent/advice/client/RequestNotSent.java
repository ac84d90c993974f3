package io.palinode.agent.advice.client;

import io.palinode.agent.boot.Hooks;
import io.palinode.agent.boot.Ride;
import net.bytebuddy.asm.Advice;
import org.jspecify.annotations.Nullable;

/**
 * {@code AsyncSocketDestinationRequest.handleException}, which its {@code handleTimeout} calls: no
 * connection was free for the request. Any thread that needs a connection may detect that.
 */
public final class RequestNotSent {
  private RequestNotSent() {}

  @Advice.OnMethodEnter
  static @Nullable Ride enter(@Advice.FieldValue("delegate") @Nullable Object request) {
    return Hooks.continues(request);
  }

  @Advice.OnMethodExit(onThrowable = Throwable.class)
  static void exit(@Advice.Enter @Nullable Ride before) {
    Hooks.continued(before);
  }
}
