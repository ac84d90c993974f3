package io.palinode.agent.advice.engine;

import io.palinode.agent.boot.Hooks;
import net.bytebuddy.asm.Advice;

/** {@code StoreBinaryFormat.fromByteArray}. */
public final class DecodeRecord {
  private DecodeRecord() {}

  @Advice.OnMethodEnter
  static void enter(@Advice.Argument(0) byte[] record) {
    Hooks.decoding(record);
  }
}
