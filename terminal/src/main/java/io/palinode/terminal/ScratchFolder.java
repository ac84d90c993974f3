package io.palinode.terminal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A folder for the time of a run. */
public record ScratchFolder(Path path) implements AutoCloseable {
  public static ScratchFolder create(String purpose) throws IOException {
    return new ScratchFolder(Files.createTempDirectory("palinode-" + purpose + "-"));
  }

  /** Deletes it with all that is in it. */
  @Override
  public void close() throws IOException {
    List<Path> deepestFirst;
    try (Stream<Path> all = Files.walk(path)) {
      deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path each : deepestFirst) {
      Files.deleteIfExists(each);
    }
  }
}
