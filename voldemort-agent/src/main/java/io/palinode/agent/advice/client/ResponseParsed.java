package io.palinode.agent.advice.client;

import io.palinode.agent.boot.Hooks;
import io.palinode.agent.boot.Ride;
import net.bytebuddy.asm.Advice;
import org.jspecify.annotations.Nullable;

/** {@code AbstractClientRequest.parseResponse}: the agent may replace its error. */
public final class ResponseParsed {
  private ResponseParsed() {}

  @Advice.OnMethodEnter
  static void enter(@Advice.FieldValue("palinodeRide") @Nullable Ride ride) {
    Hooks.begun(ride);
  }

  // Assigned for the woven class: it is a field there.
  @SuppressWarnings("UnusedVariable")
  @Advice.OnMethodExit(onThrowable = Throwable.class)
  static void exit(
      @Advice.FieldValue("palinodeRide") @Nullable Ride ride,
      @Advice.FieldValue(value = "error", readOnly = false) @Nullable Exception error) {
    RuntimeException instead = Hooks.ended(ride);
    if (instead != null) {
      error = instead;
    }
  }
}
