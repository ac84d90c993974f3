package io.palinode.hazelcast.advice;

import io.palinode.hazelcast.boot.Hooks;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/**
 * {@code OutboundOperationHandler.toPacket} and {@code OutboundResponseHandler.newResponsePacket}.
 */
public final class PacketMade {
  private PacketMade() {}

  @Advice.OnMethodExit
  static void exit(
      @Advice.FieldValue("serializationService") Object serialization,
      @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object packet) {
    packet = Hooks.packetMade(serialization, packet);
  }
}
