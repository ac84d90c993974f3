package io.palinode.agent.advice.client;

import io.palinode.agent.boot.Frame;
import io.palinode.agent.boot.Hooks;
import io.palinode.agent.boot.Operation;
import net.bytebuddy.asm.Advice;
import org.jspecify.annotations.Nullable;

/**
 * An operation of a client's {@code PipelineRoutedStore}, which may repeat or throw another
 * exception.
 */
public final class RoutedOperation {
  private RoutedOperation() {}

  @Advice.OnMethodEnter
  static @Nullable Frame enter(
      @Advice.This Object store,
      @Advice.FieldValue(value = "palinodeClient", readOnly = false) @Nullable Object client) {
    if (client == null) {
      client = Hooks.clientOf(store);
    }
    return client == null ? null : Hooks.enter(Operation.ROUTED, client, null, null);
  }

  @Advice.OnMethodExit(
      onThrowable = Throwable.class,
      repeatOn = Advice.OnNonDefaultValue.class,
      backupArguments = true)
  static boolean exit(
      @Advice.Enter @Nullable Frame frame, @Advice.Thrown @Nullable Throwable thrown) {
    return Hooks.exitOrRepeat(frame, null, thrown);
  }
}
