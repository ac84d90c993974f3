package io.palinode.retroscope.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.retroscope.snapshot.file.Kind;
import io.palinode.retroscope.snapshot.file.Manifest;
import io.palinode.retroscope.snapshot.file.Ref;
import io.palinode.retroscope.snapshot.file.SnapshotFolder;
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
    SnapshotFolder folder = new SnapshotFolder(root, this::note, RoomTest.PLENTY);
    folder.entered("s");
    folder.entered("s");
    folder.write(new Manifest(new Ref("s", 1), 9, Kind.INSTANT, Ref.NONE, List.of()));
    assertThat(synced).containsExactly("[s]", "s[manifest]");
  }

  @Test
  void theFolderThatNamesTheFirstSnapshotsFolderIsSyncedToo() {
    SnapshotFolder folder =
        new SnapshotFolder(root.resolve("snapshots"), this::note, RoomTest.PLENTY);
    folder.entered("s");
    folder.entered("t");
    assertThat(synced).containsExactly("snapshots[s]", "[snapshots]", "snapshots[s, t]");
  }

  private void note(Path of) throws IOException {
    List<String> names = new ArrayList<>();
    try (var files = Files.list(of)) {
      files.forEach(file -> names.add(file.getFileName().toString()));
    }
    String name = of.equals(root) ? "" : of.getFileName().toString();
    synced.add(name + names.stream().sorted().toList());
  }

  @Test
  void aFolderOfTheDiskCanBeSynced() {
    SnapshotFolder folder = new SnapshotFolder(root.resolve("snapshots"));
    folder.entered("s");
    folder.write(new Manifest(new Ref("s", 1), 9, Kind.INSTANT, Ref.NONE, List.of()));
    assertThat(folder.manifest("s")).isNotNull();
  }
}
