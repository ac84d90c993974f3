package io.palinode.agent.advice.hint;

import io.palinode.agent.boot.Hooks;
import net.bytebuddy.asm.Advice;

/**
 * {@code UpdateSlopEntriesRequest.getRequestType}: the receiver of a hint calls it right before the
 * write.
 */
public final class HintRead {
  private HintRead() {}

  @Advice.OnMethodEnter
  static void enter(@Advice.This Object hint) {
    Hooks.received(hint);
  }
}
