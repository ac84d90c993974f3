package io.palinode.retroscope;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bytes of version 1: a log that was written once can be read for ever. */
class DiskLogFormatTest {
  private static final DiskBound BOUND = new DiskBound(Duration.ofDays(1), 1 << 20, 0);
  private static final DiskLog.Layout LAYOUT =
      new DiskLog.Layout(DiskFile.HEADER_BYTES + 2 * 64, 64);

  private final MemoryVolume volume = new MemoryVolume();

  @Test
  void theBytesOfAFileAndOfTheStateAreFixed() {
    DiskLog disk = DiskLog.open(volume, BOUND, LAYOUT, "node=0 store=s", 0, what -> {});
    disk.begin(4);
    WindowLog log = new WindowLog(WindowLogConfig.DEFAULT, 0x1000, Runnable::run, disk);
    log.append(0x1001, new byte[] {'k'}, null);
    log.append(0x2001, new byte[] {'k'}, new byte[] {'v', 'w'});
    log.append(0x2001, new byte[] {'l', 'm'}, new byte[0]);
    log.close();
    byte[] file = volume.files.get(1L);
    assertThat(hex(file, 0, 48)).isEqualTo("HEADER");
    assertThat(hex(file, DiskFile.HEADER_BYTES, 64)).isEqualTo("SLOT");
    assertThat(hex(volume.state, 0, 64)).isEqualTo("STATE");
  }

  @Test
  void theyAreReadAsTheyWereWritten() {
    theBytesOfAFileAndOfTheStateAreFixed();
    DiskLog disk = DiskLog.open(volume, BOUND, LAYOUT, "node=0 store=s", 4, what -> {});
    disk.begin(5);
    WindowLog log = new WindowLog(WindowLogConfig.DEFAULT, 0x3000, Runnable::run, disk);
    java.util.ArrayList<String> seen = new java.util.ArrayList<>();
    log.forEachBetween(
        0x1000,
        Long.MAX_VALUE,
        (hlc, key, old) ->
            seen.add(
                Long.toHexString(hlc)
                    + History.text(key)
                    + (old == null ? "-" : "=" + History.text(old))));
    assertThat(seen).isEqualTo(List.of("1001k-", "2001k=vw", "2001lm="));
  }

  private static String hex(byte[] bytes, int from, int count) {
    return HexFormat.of().formatHex(Arrays.copyOfRange(bytes, from, from + count));
  }
}
