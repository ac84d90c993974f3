package io.palinode.hazelcast.advice;

import io.palinode.hazelcast.boot.Hooks;
import net.bytebuddy.asm.Advice;

/** {@code MapOperation.beforeRun}. */
public final class MapOperationBegins {
  private MapOperationBegins() {}

  @Advice.OnMethodEnter
  static void enter(@Advice.This Object operation) {
    Hooks.operationBegins(operation);
  }
}
