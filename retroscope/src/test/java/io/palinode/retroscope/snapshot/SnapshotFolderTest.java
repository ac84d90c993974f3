package io.palinode.retroscope.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnapshotFolderTest {
  @TempDir Path root;
  private final List<String> synced = new ArrayList<>();

  @Test
  void aFolderIsSyncedWhenAFileHasGotItsName() {
    SnapshotFolder folder = new SnapshotFolder(root, this::note);
    folder.entered("s");
    folder.entered("s");
    folder.write(new Manifest(new Ref("s", 1), 9, Kind.INSTANT, Ref.NONE, List.of()));
    assertThat(synced).containsExactly("[s]", "s[manifest]");
  }

  private void note(Path of) throws IOException {
    List<String> names = new ArrayList<>();
    try (var files = Files.list(of)) {
      files.forEach(file -> names.add(file.getFileName().toString()));
    }
    synced.add((of.equals(root) ? "" : of.getFileName()) + names.toString());
  }

  @Test
  void aFolderOfTheDiskCanBeSynced() {
    SnapshotFolder folder = new SnapshotFolder(root.resolve("snapshots"));
    folder.entered("s");
    folder.write(new Manifest(new Ref("s", 1), 9, Kind.INSTANT, Ref.NONE, List.of()));
    assertThat(folder.manifest("s")).isNotNull();
  }
}
