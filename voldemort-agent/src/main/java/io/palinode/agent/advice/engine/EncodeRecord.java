package io.palinode.agent.advice.engine;

import io.palinode.agent.boot.Hooks;
import net.bytebuddy.asm.Advice;

/** {@code StoreBinaryFormat.toByteArray}. */
public final class EncodeRecord {
  private EncodeRecord() {}

  @Advice.OnMethodExit
  static void exit(@Advice.Return byte[] record) {
    Hooks.encoded(record);
  }
}
