package io.palinode.voldemort.bdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DataFolderTest {
  @TempDir Path data;

  @Test
  void aFolderIsMadeLabelledAndOpenedAgain() throws IOException {
    try (DataFolder folder = DataFolder.open(data.resolve("new"), 1, 3)) {
      assertThat(folder.bdb()).isEqualTo(data.resolve("new/node-1/bdb")).isDirectory();
    }
    assertThat(Files.readString(data.resolve("new/node-1/VERSION")))
        .isEqualTo("palinode-data=1 node=1 nodes=3\n");
    DataFolder.open(data.resolve("new"), 1, 3).close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "palinode-data=2 node=1 nodes=3 | of another format  | use the Palinode release that wrote"
            + " it",
        "something else                 | of another format  | use the Palinode release that wrote"
            + " it",
        "palinode-data=1 node=0 nodes=3 | another node       | start node 0 on it",
        "palinode-data=1 node=1 nodes=5 | another size       | start a cluster of 5 nodes on it",
      })
  void aFolderWithAnotherLabelIsRefused(String label, String why, String wayOut)
      throws IOException {
    DataFolder.open(data, 1, 3).close();
    Files.writeString(data.resolve("node-1/VERSION"), label);
    assertThatThrownBy(() -> DataFolder.open(data, 1, 3))
        .isInstanceOf(DataFolderException.class)
        .hasMessageContaining(data.resolve("node-1").toString())
        .hasMessageContaining(why)
        .hasMessageContaining(wayOut)
        .hasMessageNotContaining("\n");
  }

  /** Everybody could read it. */
  @Test
  void aFolderIsItsOwnersAlone() throws IOException {
    DataFolder.open(data, 1, 3).close();
    Path node = data.resolve("node-1");
    assertThat(rights(node)).isEqualTo("rwx------");
    assertThat(rights(node.resolve("bdb"))).isEqualTo("rwx------");
    Files.setPosixFilePermissions(node, PosixFilePermissions.fromString("rwxr-xr-x"));
    DataFolder.open(data, 1, 3).close();
    assertThat(rights(node)).isEqualTo("rwx------");
    assertThat(rights(node.resolve("VERSION"))).isEqualTo("rw-------");
  }

  private static String rights(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void aFolderThatIsOpenIsRefusedUntilItIsClosed() {
    try (DataFolder first = DataFolder.open(data, 1, 3)) {
      assertThat(first.bdb()).exists();
      assertThatThrownBy(() -> DataFolder.open(data, 1, 3))
          .isInstanceOf(DataFolderException.class)
          .hasMessageContaining("in use by another running node");
    }
    DataFolder.open(data, 1, 3).close();
  }

  @Test
  void aFolderThatCannotBeWrittenIsRefused() throws IOException {
    Path file = Files.writeString(data.resolve("file"), "not a folder");
    assertThatThrownBy(() -> DataFolder.open(file, 1, 3))
        .isInstanceOf(DataFolderException.class)
        .hasMessageContaining("cannot be written")
        .hasMessageContaining("choose another folder");
  }

  @Test
  void dataWithoutALabelIsNotTakenOver() throws IOException {
    Files.createDirectories(data.resolve("node-1/bdb"));
    assertThatThrownBy(() -> DataFolder.open(data, 1, 3))
        .isInstanceOf(DataFolderException.class)
        .hasMessageContaining("no VERSION file");
  }

  @Test
  void aCrashBeforeTheLabelWasInPlaceDoesNotHinderTheNextStart() throws IOException {
    Files.createDirectories(data.resolve("node-1"));
    Files.writeString(data.resolve("node-1/VERSION.new"), "half a la");
    DataFolder.open(data, 1, 3).close();
    assertThat(Files.readString(data.resolve("node-1/VERSION"))).contains("node=1");
  }

  /** A greater number would hide a later loss from its repair. */
  @ParameterizedTest
  @ValueSource(strings = {"AWAITS-REPAIR", "REPAIRED"})
  void aFlippedOrCutNumberOfARepairNeverBecomesAGreaterOne(String name) throws IOException {
    try (DataFolder folder = DataFolder.open(data, 1, 3)) {
      folder.awaitRepair(31);
      Path file = data.resolve("node-1").resolve(name);
      if (name.equals("REPAIRED")) {
        folder.repaired();
      }
      byte[] whole = Files.readAllBytes(file);
      for (int bit = 0; bit < whole.length * 8; bit++) {
        byte[] flipped = whole.clone();
        flipped[bit / 8] ^= (byte) (1 << bit % 8);
        assertThat(repairedWith(folder, file, flipped)).as("bit %d", bit).isIn(0L, 31L);
      }
      for (int length = 0; length < whole.length; length++) {
        byte[] cut = Arrays.copyOf(whole, length);
        assertThat(repairedWith(folder, file, cut)).as("length %d", length).isLessThanOrEqualTo(31);
      }
      assertThat(repairedWith(folder, file, "31\n".getBytes(UTF_8)))
          .as("of an earlier release")
          .isEqualTo(31);
    }
  }

  /** The incarnation that counts as repaired when {@code file} holds these bytes. */
  private static long repairedWith(DataFolder folder, Path file, byte[] bytes) throws IOException {
    Path repaired = file.resolveSibling("REPAIRED");
    Files.deleteIfExists(repaired);
    Files.write(file, bytes);
    if (!file.equals(repaired)) {
      folder.repaired();
    }
    return folder.repairedIncarnation();
  }
}
