package io.palinode.agent.advice.hint;

import io.palinode.agent.boot.Hooks;
import net.bytebuddy.asm.Advice;

/**
 * {@code StreamingSlopPusherJob.run} or {@code BlockingSlopPusherJob.run}, which delivers hints and
 * ends after all responses.
 */
public final class HintsPushed {
  private HintsPushed() {}

  @Advice.OnMethodEnter
  static void enter() {
    Hooks.pushes(true);
  }

  @Advice.OnMethodExit(onThrowable = Throwable.class)
  static void exit() {
    Hooks.pushes(false);
  }
}
