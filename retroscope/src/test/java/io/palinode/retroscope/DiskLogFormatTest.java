package io.palinode.retroscope;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.retroscope.disklog.DiskBound;
import io.palinode.retroscope.disklog.DiskFile;
import io.palinode.retroscope.disklog.DiskLog;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
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
    byte[] file = volume.file(1);
    assertThat(hex(file, 0, 48))
        .isEqualTo(
            "505746494c455301" // "PWFILES", version
                + "0100000000000000" // number
                + "8010000000000000" // bytes
                + "0400000000000000" // session
                + "40000000" // slot bytes
                + "0000000000000000" // slots and used bytes of the file before
                + "d16bba04");
    assertThat(hex(file, DiskFile.HEADER_BYTES, 64))
        .isEqualTo(
            "0010000000000000" // base
                + "28000000534c4f54" // content bytes, "SLOT"
                + "02000000488fe490" // entries, checksum
                + "01016b00" // at 1001: k, absent
                + "8020016b03" // at 2001: k, of 2 bytes
                + "00".repeat(29)
                + "7677");
    assertThat(hex(file, DiskFile.HEADER_BYTES + 64, 64))
        .isEqualTo("012000000000000028000000534c4f540100000064a5237600026c6d01" + "00".repeat(35));
    assertThat(hex(Objects.requireNonNull(volume.state), 0, 64))
        .isEqualTo(
            "5057535441544501" // "PWSTATE", version
                + "636c6f7365640000" // "closed"
                + "0200000100000000" // slot 2 of file 1
                + "0400000000000000" // session
                + "05006669727374" // boot
                + "0e006e6f64653d302073746f72653d73" // label
                + "9c0700bd"
                + "00".repeat(5));
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
