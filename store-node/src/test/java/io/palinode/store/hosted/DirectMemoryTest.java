package io.palinode.store.hosted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class DirectMemoryTest {
  private static final long MIB = 1 << 20;

  @Test
  void whatStoresMayComeToWantMustBeThere() {
    assertThat(DirectMemory.max()).isPositive();
    assertThatCode(() -> DirectMemory.requireRoom(3, 64 * MIB, 192 * MIB))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> DirectMemory.requireRoom(4, 64 * MIB, 192 * MIB))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining("4 stores may take 256 MiB")
        .hasMessageContaining("192 MiB of direct memory")
        .hasMessageContaining("-XX:MaxDirectMemorySize");
  }
}
