package io.palinode.agent.advice.client;

import io.palinode.agent.boot.Hooks;
import io.palinode.agent.boot.Ride;
import net.bytebuddy.asm.Advice;
import org.jspecify.annotations.Nullable;

/** The constructor of {@code AbstractClientRequest}, in the requesting thread. */
public final class RequestMade {
  private RequestMade() {}

  // Assigned for the woven class: it is a field there.
  @SuppressWarnings("UnusedVariable")
  @Advice.OnMethodExit
  static void exit(
      @Advice.This Object request,
      @Advice.FieldValue(value = "palinodeRide", readOnly = false) @Nullable Ride ride) {
    ride = Hooks.requested(request);
  }
}
