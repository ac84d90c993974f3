package io.palinode.store.hosted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpareFileTest {
  @TempDir Path folder;

  @Test
  void theLastRecordIsFoundAgain() {
    try (SpareFile file = SpareFile.open(path())) {
      assertThat(file.read()).isNull();
      file.write(bytes("one"), false);
      file.write(bytes("a longer one"), true);
      file.write(bytes("three"), false);
      assertThat(file.read()).isEqualTo(bytes("three"));
    }
    assertThat(found()).isEqualTo(bytes("three"));
  }

  @Test
  void theFileHasItsSizeFromTheStart() throws Exception {
    SpareFile file = SpareFile.open(path());
    assertThat(Files.size(path())).isEqualTo(2 * SpareFile.SLOT_BYTES);
    for (int i = 0; i < 10; i++) {
      file.write(new byte[SpareFile.RECORD_BYTES_MAX], false);
    }
    file.close();
    assertThat(Files.size(path())).isEqualTo(2 * SpareFile.SLOT_BYTES);
  }

  /** Every byte of the newest slot that can be damaged. */
  @Test
  void aRecordThatIsNotWholeLeavesTheOneBeforeIt() throws Exception {
    try (SpareFile file = SpareFile.open(path())) {
      file.write(bytes("before"), false);
      file.write(bytes("newest"), false);
    }
    byte[] whole = Files.readAllBytes(path());
    int recordBytes = 1 + 8 + 4 + "newest".length() + 4;
    for (int at = 0; at < recordBytes; at++) {
      byte[] damaged = whole.clone();
      damaged[at] ^= 0x10;
      Files.write(path(), damaged);
      assertThat(found()).as("byte %d", at).isEqualTo(bytes("before"));
    }
  }

  @Test
  void aRecordThatIsTooLongIsRefused() {
    try (SpareFile file = SpareFile.open(path())) {
      assertThatThrownBy(() -> file.write(new byte[SpareFile.RECORD_BYTES_MAX + 1], false))
          .hasMessage("a spare record must have at most 1,024 bytes: bytes=1025");
    }
  }

  private byte[] found() {
    try (SpareFile file = SpareFile.open(path())) {
      byte[] record = file.read();
      return record == null ? new byte[0] : record;
    }
  }

  private Path path() {
    return folder.resolve("spare");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
