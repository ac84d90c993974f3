package io.palinode.agent.advice.hint;

import io.palinode.agent.boot.Frame;
import io.palinode.agent.boot.Hooks;
import io.palinode.agent.boot.Operation;
import net.bytebuddy.asm.Advice;
import org.jspecify.annotations.Nullable;

/**
 * {@code SerializingStorageEngine.EntriesIterator.next}, from which the hint delivery job reads. An
 * exception ends its run.
 */
public final class HintToPush {
  private HintToPush() {}

  @Advice.OnMethodEnter
  static @Nullable Frame enter(@Advice.This Object entries) {
    return Hooks.enter(Operation.HINT_TO_PUSH, entries, null, null);
  }

  @Advice.OnMethodExit(onThrowable = Throwable.class)
  static void exit(@Advice.Enter @Nullable Frame frame, @Advice.Thrown @Nullable Throwable thrown) {
    Hooks.exit(frame, null, thrown);
  }
}
