package io.palinode.agent.advice.engine;

import io.palinode.agent.boot.Frame;
import io.palinode.agent.boot.Hooks;
import io.palinode.agent.boot.Operation;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.jspecify.annotations.Nullable;

/** {@code getAndLock}: returns the lock, which the thread then holds. */
public final class BdbLock {
  private BdbLock() {}

  @Advice.OnMethodEnter
  static @Nullable Frame enter(
      @Advice.This Object engine, @Advice.Argument(0) @Nullable Object key) {
    return Hooks.enter(Operation.BDB_LOCK, engine, key, null);
  }

  @Advice.OnMethodExit(onThrowable = Throwable.class)
  static void exit(
      @Advice.Enter @Nullable Frame frame,
      @Advice.Return(typing = Assigner.Typing.DYNAMIC) @Nullable Object handle,
      @Advice.Thrown @Nullable Throwable thrown) {
    Hooks.exit(frame, handle, thrown);
  }
}
