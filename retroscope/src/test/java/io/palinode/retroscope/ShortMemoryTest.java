package io.palinode.retroscope;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The log when the memory outside of the heap is used up. */
class ShortMemoryTest {
  private static final int SEGMENT_BYTES = 256;

  private final List<String> appended = new ArrayList<>();
  private boolean isShort;
  private final WindowLog log =
      new WindowLog(
          new WindowLogConfig(Duration.ofHours(1), 1 << 20),
          1,
          Runnable::run,
          new LogLayout(SEGMENT_BYTES, 0, this::memory),
          null);

  private ByteBuffer memory(int bytes) {
    if (isShort) {
      throw new OutOfMemoryError("Cannot reserve " + bytes + " bytes of direct buffer memory");
    }
    return ByteBuffer.allocateDirect(bytes);
  }

  @Test
  void anEntryThatFindsNoMemoryIsNotThereAndLaterOnesAre() {
    append(2);
    isShort = true;
    assertThatThrownBy(this::fill).isInstanceOf(OutOfMemoryError.class);
    assertThat(found()).isEqualTo(appended);
    long last = log.last();
    assertThat(last).isEqualTo(1L + appended.size());
    isShort = false;
    append(last + 1);
    assertThat(found()).isEqualTo(appended);
  }

  private void fill() {
    for (int i = 0; i < 1_000; i++) {
      append(log.last() + 1);
    }
  }

  private void append(long hlc) {
    log.append(hlc, ("k" + hlc).getBytes(UTF_8), null);
    appended.add("k" + hlc);
  }

  private List<String> found() {
    List<String> keys = new ArrayList<>();
    log.forEachBetween(1, Long.MAX_VALUE, (hlc, key, old) -> keys.add(new String(key, UTF_8)));
    return keys;
  }
}
