package io.palinode.hazelcast.advice;

import io.palinode.hazelcast.boot.Hooks;
import net.bytebuddy.asm.Advice;

/** {@code OperationRunnerImpl.run} and {@code InboundResponseHandler.accept}. */
public final class PacketReceived {
  private PacketReceived() {}

  @Advice.OnMethodEnter
  static void enter(
      @Advice.FieldValue("nodeEngine") Object engine, @Advice.Argument(0) Object packet) {
    Hooks.packetReceived(engine, packet);
  }
}
