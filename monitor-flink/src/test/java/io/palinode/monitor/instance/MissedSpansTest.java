package io.palinode.monitor.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.monitor.instance.MissedSpans.Span;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class MissedSpansTest {
  private static final String GOLDEN =
      "01"
          + "0000000000000005"
          + "0000000000000009"
          + "000000000000000b"
          + "000000000000000c"
          + "000000000000000d"
          + "7fffffffffffffff";

  private final MissedSpans spans = MissedSpans.NONE.missed(5, 9).published(11).missed(12, 13);

  @Test
  void theBytesStay() {
    assertThat(HexFormat.of().formatHex(spans.encode())).isEqualTo(GOLDEN);
    assertThat(MissedSpans.decode(spans.encode())).isEqualTo(spans);
    assertThat(MissedSpans.decode(MissedSpans.NONE.encode())).isEqualTo(MissedSpans.NONE);
  }

  @Test
  void otherBytesAreRefused() {
    byte[] bytes = spans.encode();
    bytes[0] = 2;
    assertThatThrownBy(() -> MissedSpans.decode(bytes)).hasMessageContaining("version 1");
    assertThatThrownBy(() -> MissedSpans.decode(new byte[] {1, 0})).hasMessageContaining("bytes=2");
  }

  @Test
  void ofTooManyTheOldestBecomeOne() {
    MissedSpans many = MissedSpans.NONE;
    for (long i = 1; i <= MissedSpans.SPANS_MAX + 2; i++) {
      many = many.missed(10 * i, 10 * i + 1).published(10 * i + 2);
    }
    assertThat(many.spans()).hasSize(MissedSpans.SPANS_MAX);
    assertThat(many.spans().get(0)).isEqualTo(new Span(10, 31, 32));
    assertThat(many.spans().get(1)).isEqualTo(new Span(40, 41, 42));
  }
}
