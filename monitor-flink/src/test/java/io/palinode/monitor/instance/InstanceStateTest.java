package io.palinode.monitor.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class InstanceStateTest {
  private final InstanceState state = new InstanceState(7, 2, 3, 0x1234, new byte[] {10, 11});

  @Test
  void itsBytesStayTheSameFromVersionToVersion() {
    assertThat(HexFormat.of().formatHex(state.encode()))
        .isEqualTo(
            "01"
                + "0000000000000007"
                + "0000000000000002"
                + "00000003"
                + "0000000000001234"
                + "0a0b");
  }

  @Test
  void anEncodedStateIsDecoded() {
    InstanceState decoded = InstanceState.decode(state.encode());
    assertThat(decoded).usingRecursiveComparison().isEqualTo(state);
  }

  @Test
  void bytesOfAnotherVersionAreRefused() {
    byte[] bytes = state.encode();
    bytes[0] = 2;
    assertThatThrownBy(() -> InstanceState.decode(bytes)).hasMessageContaining("version 1");
    assertThatThrownBy(() -> InstanceState.decode(new byte[] {1, 2}))
        .hasMessageContaining("bytes=2");
  }
}
