package io.palinode.retroscope.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnerOnlyTest {
  @TempDir Path folder;

  @Test
  void newFoldersAreTheirOwnersAlone() throws IOException {
    Path made = OwnerOnly.createFolders(folder.resolve("a/b"));
    assertThat(rights(made)).isEqualTo("rwx------");
    assertThat(rights(made.resolve(".."))).isEqualTo("rwx------");
  }

  @Test
  void aFolderThatWasOpenIsClosedWithAllInIt() throws IOException {
    Path inner = Files.createDirectory(folder.resolve("inner"));
    Path file = Files.writeString(inner.resolve("file"), "x");
    Path script = Files.writeString(folder.resolve("script"), "x");
    Files.setPosixFilePermissions(inner, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-r--"));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("r-xr-xr-x"));
    assertThat(OwnerOnly.claim(folder)).isTrue();
    assertThat(rights(folder)).isEqualTo("rwx------");
    assertThat(rights(inner)).isEqualTo("rwx------");
    assertThat(rights(file)).isEqualTo("rw-------");
    assertThat(rights(script)).isEqualTo("r-x------");
  }

  @Test
  void theTargetOfALinkStaysAsItIs() throws IOException {
    Path elsewhere = Files.writeString(folder.resolve("elsewhere"), "x");
    Files.setPosixFilePermissions(elsewhere, PosixFilePermissions.fromString("rw-r--r--"));
    Path data = Files.createDirectory(folder.resolve("data"));
    Files.createSymbolicLink(data.resolve("link"), elsewhere);
    assertThat(OwnerOnly.claim(data)).isTrue();
    assertThat(rights(elsewhere)).isEqualTo("rw-r--r--");
  }

  private static String rights(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
