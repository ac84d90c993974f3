package io.palinode.agent.advice.engine;

import io.palinode.agent.boot.Hooks;
import net.bytebuddy.asm.Advice;

/** {@code StorageService.stopInner}. */
public final class StorageStopping {
  private StorageStopping() {}

  @Advice.OnMethodEnter
  static void enter(@Advice.This Object storageService) {
    Hooks.storageStopping(storageService);
  }
}
