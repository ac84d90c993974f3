package io.palinode.agent.advice.client;

import io.palinode.agent.boot.Hooks;
import io.palinode.agent.boot.Ride;
import net.bytebuddy.asm.Advice;
import org.jspecify.annotations.Nullable;

/** {@code AbstractClientRequest.formatRequest}. */
public final class RequestFormatted {
  private RequestFormatted() {}

  @Advice.OnMethodEnter
  static void enter(@Advice.FieldValue("palinodeRide") @Nullable Ride ride) {
    Hooks.begun(ride);
  }

  @Advice.OnMethodExit(onThrowable = Throwable.class)
  static void exit(@Advice.FieldValue("palinodeRide") @Nullable Ride ride) {
    RuntimeException unused = Hooks.ended(ride);
  }
}
