package io.palinode.agent.advice.engine;

import io.palinode.agent.boot.Hooks;
import net.bytebuddy.asm.Advice;

/** {@code StorageService.startInner}. */
public final class StorageStarted {
  private StorageStarted() {}

  @Advice.OnMethodExit
  static void exit(@Advice.This Object storageService) {
    Hooks.storageStarted(storageService);
  }
}
