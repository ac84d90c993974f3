package io.palinode.agent.advice.engine;

import io.palinode.agent.boot.Hooks;
import net.bytebuddy.asm.Advice;

/** {@code StorageService.removeEngine}. */
public final class StoreRemoved {
  private StoreRemoved() {}

  @Advice.OnMethodEnter
  static void enter(@Advice.Argument(0) Object engine) {
    Hooks.storeRemoved(engine);
  }
}
