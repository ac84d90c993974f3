package io.palinode.agent.advice;

import io.palinode.agent.boot.Hooks;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code ProtoUtils.writeMessage}. */
public final class WriteMessage {
  private WriteMessage() {}

  @Advice.OnMethodEnter
  @SuppressWarnings("UnusedVariable") // Assigning it replaces the argument.
  static void enter(
      @Advice.Argument(value = 1, readOnly = false, typing = Assigner.Typing.DYNAMIC)
          Object message) {
    message = Hooks.answering(message);
  }
}
