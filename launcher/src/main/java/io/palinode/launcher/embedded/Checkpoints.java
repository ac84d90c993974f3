package io.palinode.launcher.embedded;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Flink's folder of checkpoints: {@code <job id>/chk-<n>/_metadata}, where each submission of the
 * job has another id.
 */
record Checkpoints(Path folder) {

  /** The newest one that is complete; null when there is none. */
  @Nullable Path latest() throws IOException {
    List<Path> complete = new ArrayList<>();
    for (Path job : children(folder)) {
      for (Path checkpoint : children(job)) {
        if (Files.exists(checkpoint.resolve("_metadata"))) {
          complete.add(checkpoint);
        }
      }
    }
    Path newest = null;
    FileTime newestTime = null;
    for (Path checkpoint : complete) {
      FileTime time = Files.getLastModifiedTime(checkpoint.resolve("_metadata"));
      if (newestTime == null || time.compareTo(newestTime) > 0) {
        newest = checkpoint;
        newestTime = time;
      }
    }
    return newest;
  }

  /** Deletes what other submissions left, all but the one of {@code checkpoint}. */
  void deleteAllBut(@Nullable Path checkpoint) throws IOException {
    for (Path job : children(folder)) {
      if (checkpoint == null || !checkpoint.startsWith(job)) {
        delete(job);
      }
    }
  }

  private static List<Path> children(Path folder) throws IOException {
    List<Path> children = new ArrayList<>();
    if (Files.isDirectory(folder)) {
      try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder)) {
        stream.forEach(children::add);
      }
    }
    return children;
  }

  private static void delete(Path tree) throws IOException {
    List<Path> deepestFirst;
    try (Stream<Path> all = Files.walk(tree)) {
      deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : deepestFirst) {
      Files.deleteIfExists(path);
    }
  }
}
