package io.palinode.agent.advice.engine;

import io.palinode.agent.boot.Frame;
import io.palinode.agent.boot.Hooks;
import io.palinode.agent.boot.Operation;
import net.bytebuddy.asm.Advice;
import org.jspecify.annotations.Nullable;

/** {@code releaseLock}. */
public final class BdbRelease {
  private BdbRelease() {}

  @Advice.OnMethodEnter
  static @Nullable Frame enter(
      @Advice.This Object engine, @Advice.Argument(0) @Nullable Object handle) {
    return Hooks.enter(Operation.BDB_RELEASE, engine, null, handle);
  }

  @Advice.OnMethodExit(onThrowable = Throwable.class)
  static void exit(@Advice.Enter @Nullable Frame frame, @Advice.Thrown @Nullable Throwable thrown) {
    Hooks.exit(frame, null, thrown);
  }
}
