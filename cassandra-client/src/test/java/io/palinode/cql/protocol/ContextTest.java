package io.palinode.cql.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.hvc.Hvc;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class ContextTest {
  private static final Hvc CLOCK = Hvc.of(1, 4_096_000, 8_192_001, 4_096_000);

  @Test
  void bytesAreThoseOfTheDiagram() {
    assertThat(hex(Context.of(Context.UNKNOWN, null))).isEqualTo("0100ffffffffffffffff");
    assertThat(hex(Context.refused(7))).isEqualTo("01010000000000000007");
    assertThat(hex(Context.of(7, CLOCK))).startsWith("01000000000000000007" + "0103");
  }

  private static String hex(Context context) {
    return HexFormat.of().formatHex(context.encode());
  }

  @Test
  void decodeReturnsWhatWasEncoded() {
    for (Context context :
        new Context[] {Context.of(-1, null), Context.refused(3), Context.of(9, CLOCK)}) {
      assertThat(Context.decode(context.encode())).isEqualTo(context);
    }
  }

  @Test
  void otherBytesAreRefused() {
    assertThatThrownBy(() -> Context.decode(new byte[3]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least 10 bytes");
    byte[] later = Context.refused(3).encode();
    later[0] = 2;
    assertThatThrownBy(() -> Context.decode(later)).isInstanceOf(IllegalArgumentException.class);
    byte[] negative = HexFormat.of().parseHex("0100fffffffffffffffe");
    assertThatThrownBy(() -> Context.decode(negative)).isInstanceOf(IllegalArgumentException.class);
    byte[] badClock = HexFormat.of().parseHex("01000000000000000001" + "09");
    assertThatThrownBy(() -> Context.decode(badClock)).isInstanceOf(IllegalArgumentException.class);
  }
}
