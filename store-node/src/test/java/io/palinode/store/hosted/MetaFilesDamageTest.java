package io.palinode.store.hosted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.store.engine.StorageEngine.Change;
import io.palinode.store.engine.StorageException;
import io.palinode.store.hosted.MetaFiles.Planned;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every bit of a node's own files is flipped, and each is cut at every length. */
class MetaFilesDamageTest {
  private static final byte[] KEY = ascii("start");
  private static final byte[] RECORD = {1, 0, 0, 0, 0, 0, 0, 0, 7, 5, 4, 3, 2, 1, 0, 9, 8};

  @TempDir Path folder;
  private MetaFiles files;

  @BeforeEach
  void fill() {
    files = new MetaFiles(folder);
    files.put(List.of(new Change("palinode-meta", KEY, RECORD)), false);
    Change change = new Change("s", ascii("k"), ascii("after"));
    files.writeJournal(List.of(new Planned(change, ascii("before"))));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void aRecordIsReadAsItWasWritten() {
    assertThat(files.get(KEY)).isEqualTo(RECORD);
    assertThat(files.journal()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"start", "journal"})
  void aDamagedFileIsRefusedWithItsName(String name) throws IOException {
    Path file = folder.resolve(name);
    byte[] whole = Files.readAllBytes(file);
    for (int bit = 0; bit < whole.length * 8; bit++) {
      byte[] flipped = whole.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      assertRefused(file, flipped, "bit " + bit);
    }
    for (int length = 0; length < whole.length; length++) {
      assertRefused(file, Arrays.copyOf(whole, length), "length " + length);
    }
    System.out.printf(
        "%-8s flips %d, cuts %d, refused %d, silently different 0%n",
        name, whole.length * 8, whole.length, whole.length * 9);
  }

  private void assertRefused(Path file, byte[] damaged, String how) throws IOException {
    Files.write(file, damaged);
    assertThatThrownBy(
            () -> {
              if (file.endsWith("journal")) {
                files.journal();
              } else {
                Objects.requireNonNull(files.get(KEY));
              }
            },
            how)
        .isInstanceOf(StorageException.class)
        .hasMessageContaining(file.toString());
  }

  @Test
  void aRecordOfAnEarlierReleaseIsRead() throws IOException {
    Files.write(folder.resolve("start"), RECORD);
    assertThat(files.get(KEY)).isEqualTo(RECORD);
  }
}
