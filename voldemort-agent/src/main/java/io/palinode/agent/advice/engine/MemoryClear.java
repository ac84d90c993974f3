package io.palinode.agent.advice.engine;

import io.palinode.agent.boot.Frame;
import io.palinode.agent.boot.Hooks;
import io.palinode.agent.boot.Operation;
import net.bytebuddy.asm.Advice;
import org.jspecify.annotations.Nullable;

/** {@code truncate} and {@code deleteAll}. */
public final class MemoryClear {
  private MemoryClear() {}

  @Advice.OnMethodEnter
  static @Nullable Frame enter(@Advice.This Object engine) {
    return Hooks.enter(Operation.MEMORY_CLEAR, engine, null, null);
  }

  @Advice.OnMethodExit(onThrowable = Throwable.class)
  static void exit(@Advice.Enter @Nullable Frame frame, @Advice.Thrown @Nullable Throwable thrown) {
    Hooks.exit(frame, null, thrown);
  }
}
