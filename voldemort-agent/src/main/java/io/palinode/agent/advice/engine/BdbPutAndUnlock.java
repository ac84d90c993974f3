package io.palinode.agent.advice.engine;

import io.palinode.agent.boot.Frame;
import io.palinode.agent.boot.Hooks;
import io.palinode.agent.boot.Operation;
import net.bytebuddy.asm.Advice;
import org.jspecify.annotations.Nullable;

/** {@code putAndUnlock}: writes the versions of the handle. */
public final class BdbPutAndUnlock {
  private BdbPutAndUnlock() {}

  @Advice.OnMethodEnter
  static @Nullable Frame enter(
      @Advice.This Object engine,
      @Advice.Argument(0) @Nullable Object key,
      @Advice.Argument(1) @Nullable Object argument) {
    return Hooks.enter(Operation.BDB_PUT_AND_UNLOCK, engine, key, argument);
  }

  @Advice.OnMethodExit(onThrowable = Throwable.class)
  static void exit(@Advice.Enter @Nullable Frame frame, @Advice.Thrown @Nullable Throwable thrown) {
    Hooks.exit(frame, null, thrown);
  }
}
