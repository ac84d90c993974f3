package io.palinode.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The files of the repository. */
public final class SourceTree {
  static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private static final Set<String> SKIPPED = Set.of("target", ".git", "node_modules");

  private SourceTree() {}

  /**
   * Sorted. Without the folders of builds: other modules, and other tests, write there meanwhile.
   */
  public static List<Path> files() {
    List<Path> files = new ArrayList<>();
    try {
      Files.walkFileTree(
          ROOT,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes any) {
              return SKIPPED.contains(folder.getFileName().toString())
                  ? FileVisitResult.SKIP_SUBTREE
                  : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes any) {
              files.add(file);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files.stream().sorted().toList();
  }
}
