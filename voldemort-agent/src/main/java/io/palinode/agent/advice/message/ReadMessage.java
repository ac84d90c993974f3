package io.palinode.agent.advice.message;

import io.palinode.agent.boot.Hooks;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code ProtoUtils.readToBuilder}. */
public final class ReadMessage {
  private ReadMessage() {}

  @Advice.OnMethodExit
  static void exit(@Advice.Return(typing = Assigner.Typing.DYNAMIC) Object builder) {
    Hooks.received(builder);
  }
}
