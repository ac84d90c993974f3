package io.palinode.agent.advice.engine;

import io.palinode.agent.boot.Frame;
import io.palinode.agent.boot.Hooks;
import io.palinode.agent.boot.Operation;
import net.bytebuddy.asm.Advice;
import org.jspecify.annotations.Nullable;

/** {@code put} and {@code multiVersionPut}. */
public final class MemoryPut {
  private MemoryPut() {}

  @Advice.OnMethodEnter
  static @Nullable Frame enter(
      @Advice.This Object engine, @Advice.Argument(0) @Nullable Object key) {
    return Hooks.enter(Operation.MEMORY_WRITE, engine, key, null);
  }

  @Advice.OnMethodExit(onThrowable = Throwable.class)
  static void exit(@Advice.Enter @Nullable Frame frame, @Advice.Thrown @Nullable Throwable thrown) {
    Hooks.exit(frame, null, thrown);
  }
}
