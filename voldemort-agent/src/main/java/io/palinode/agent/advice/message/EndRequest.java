package io.palinode.agent.advice.message;

import io.palinode.agent.boot.Hooks;
import net.bytebuddy.asm.Advice;

/** {@code ProtoBuffRequestHandler.handleRequest}. */
public final class EndRequest {
  private EndRequest() {}

  @Advice.OnMethodExit(onThrowable = Throwable.class)
  static void exit() {
    Hooks.requestEnded();
  }
}
