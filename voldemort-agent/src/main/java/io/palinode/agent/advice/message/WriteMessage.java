package io.palinode.agent.advice.message;

import io.palinode.agent.boot.Hooks;
import java.io.DataOutputStream;
import java.io.IOException;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** {@code ProtoUtils.writeMessage}, which is skipped if the agent has written. */
public final class WriteMessage {
  private WriteMessage() {}

  @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
  static boolean enter(
      @Advice.Argument(0) DataOutputStream out,
      @Advice.Argument(value = 1, typing = Assigner.Typing.DYNAMIC) Object message)
      throws IOException {
    return Hooks.answers(message, out);
  }
}
