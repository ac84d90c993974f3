package io.palinode.agent.advice;

import io.palinode.agent.boot.Hooks;
import net.bytebuddy.asm.Advice;

/**
 * {@code UpdateSlopEntriesRequest.getRequestType}: who takes a hint asks for it right before he
 * writes what it holds.
 */
public final class HintRead {
  private HintRead() {}

  @Advice.OnMethodEnter
  static void enter(@Advice.This Object hint) {
    Hooks.received(hint);
  }
}
