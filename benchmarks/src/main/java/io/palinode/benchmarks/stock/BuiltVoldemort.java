package io.palinode.benchmarks.stock;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A built Voldemort on disk: its jars, and folders of classes. */
public final class BuiltVoldemort {
  private static final String SERVER = "voldemort/server/VoldemortServer.class";
  private static final List<String> NEEDED =
      List.of(SERVER, "com/sleepycat/je/Environment.class", "org/apache/log4j/Logger.class");
  private static final int DEPTH_MAX = 3;

  private final String classPath;

  private BuiltVoldemort(String classPath) {
    this.classPath = classPath;
  }

  /**
   * Looks for jars, and for a folder {@code classes}, at most three folders deep. Throws {@link
   * IllegalArgumentException}, which says what is missing and how it comes there.
   */
  public static BuiltVoldemort in(Path folder) {
    List<Path> entries = entries(folder);
    for (String needed : NEEDED) {
      if (entries.stream().noneMatch(entry -> holds(entry, needed))) {
        throw new IllegalArgumentException(
            ("a built Voldemort 1.10 must be in %s, with the libraries that it needs: no %s in the %d jars and folders 'classes' there;"
                    + " its own build (gradle) puts them into dist and lib")
                .formatted(
                    folder,
                    needed.substring(0, needed.length() - ".class".length()).replace('/', '.'),
                    entries.size()));
      }
    }
    return new BuiltVoldemort(
        entries.stream()
            .map(entry -> entry.toAbsolutePath().toString())
            .collect(Collectors.joining(File.pathSeparator)));
  }

  private static List<Path> entries(Path folder) {
    if (!Files.isDirectory(folder)) {
      throw new IllegalArgumentException("there is no such folder: " + folder);
    }
    try (Stream<Path> all = Files.walk(folder, DEPTH_MAX)) {
      return all.filter(BuiltVoldemort::isEntry).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException("the folder cannot be read: " + folder, e);
    }
  }

  private static boolean isEntry(Path path) {
    return Files.isDirectory(path)
        ? path.endsWith("classes")
        : path.getFileName().toString().endsWith(".jar");
  }

  private static boolean holds(Path entry, String file) {
    if (Files.isDirectory(entry)) {
      return Files.exists(entry.resolve(file));
    }
    try (JarFile jar = new JarFile(entry.toFile())) {
      return jar.getEntry(file) != null;
    } catch (IOException unreadable) {
      return false;
    }
  }

  /** For the JVM that is to run it. */
  public String classPath() {
    return classPath;
  }
}
