package io.palinode.agent.advice;

import io.palinode.agent.boot.Hooks;
import io.palinode.agent.boot.Ride;
import net.bytebuddy.asm.Advice;
import org.jspecify.annotations.Nullable;

/** {@code AbstractClientRequest.parseResponse}: what it keeps as the error may be another. */
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
