package io.palinode.launcher.embedded;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flink's folder of checkpoints: {@code <job id>/chk-<n>/_metadata}, where each submission of the
 * job has another id. Each file is a {@link SealedFile}.
 */
record Checkpoints(Path folder) {
  private static final Logger log = LoggerFactory.getLogger(Checkpoints.class);

  /**
   * The newest one that is complete; null when there is none. One with a damaged file is reported
   * and skipped.
   */
  @Nullable Path latest() throws IOException {
    Map<Path, FileTime> complete = new LinkedHashMap<>();
    for (Path job : children(folder)) {
      for (Path checkpoint : children(job)) {
        Path metadata = checkpoint.resolve("_metadata");
        if (Files.exists(metadata)) {
          complete.put(checkpoint, Files.getLastModifiedTime(metadata));
        }
      }
    }
    return complete.entrySet().stream()
        .sorted(Map.Entry.<Path, FileTime>comparingByValue().reversed())
        .map(Map.Entry::getKey)
        .filter(Checkpoints::isWhole)
        .findFirst()
        .orElse(null);
  }

  private static boolean isWhole(Path checkpoint) {
    try {
      for (Path file : children(checkpoint)) {
        SealedFile.verify(file);
      }
      return true;
    } catch (IOException e) {
      log.warn(
          "checkpoint={} state=SKIPPED {}: the job reads earlier candidates again",
          checkpoint,
          e.getMessage());
      return false;
    }
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
