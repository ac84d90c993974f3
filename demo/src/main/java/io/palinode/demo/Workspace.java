package io.palinode.demo;

import io.palinode.retroscope.disk.OwnerOnly;
import io.palinode.terminal.Refusal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The folder of a demo; a temporary one is removed at the end unless it is to be kept. */
final class Workspace implements AutoCloseable {
  private final Path folder;
  private final boolean remove;

  private Workspace(Path folder, boolean remove) {
    this.folder = folder;
    this.remove = remove;
  }

  /** Throws {@link Refusal} when the folder cannot be written, or holds something already. */
  static Workspace open(@Nullable Path data, boolean keep) {
    try {
      if (data == null) {
        return new Workspace(Files.createTempDirectory("palinode-demo-"), !keep);
      }
      OwnerOnly.createFolders(data);
      if (!isEmpty(data)) {
        throw new Refusal("--data must name a new or an empty folder: " + data);
      }
      if (!Files.isWritable(data)) {
        throw new Refusal("--data must name a folder that can be written: " + data);
      }
      return new Workspace(data, false);
    } catch (IOException e) {
      throw new Refusal(
          "the folder "
              + (data == null ? "for temporary files" : data)
              + " cannot be written ("
              + e
              + "); name another one with --data",
          e);
    }
  }

  Path folder() {
    return folder;
  }

  boolean isKept() {
    return !remove;
  }

  @Override
  public void close() {
    if (!remove) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the temporary folder " + folder + " was not removed whole", e);
    }
  }

  private static boolean isEmpty(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.findAny().isEmpty();
    }
  }
}
