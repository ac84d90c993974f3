package io.palinode.hazelcast.advice;

import io.palinode.hazelcast.boot.Hooks;
import net.bytebuddy.asm.Advice;
import org.jspecify.annotations.Nullable;

/** {@code Node.start}. */
public final class MemberStart {
  private MemberStart() {}

  @Advice.OnMethodEnter
  static void enter(@Advice.This Object node) {
    Hooks.starting(node);
  }

  @Advice.OnMethodExit(onThrowable = Throwable.class)
  static void exit(@Advice.This Object node, @Advice.Thrown @Nullable Throwable failure) {
    Hooks.started(node, failure);
  }
}
