package io.palinode.hazelcast.advice;

import io.palinode.hazelcast.boot.Hooks;
import net.bytebuddy.asm.Advice;

/** {@code DefaultNodeExtension.validateJoinRequest}. */
public final class JoinRequested {
  private JoinRequested() {}

  @Advice.OnMethodEnter
  static void enter(@Advice.FieldValue("node") Object node, @Advice.Argument(0) Object request) {
    Hooks.joinRequested(node, request);
  }
}
