package io.palinode.benchmarks.stock;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * A stock Voldemort 1.10.x on this machine: its classes, and the libraries that its server needs.
 *
 * @param folder as it was named
 * @param classPath folders of classes, and jars
 */
public record StockVoldemort(Path folder, List<Path> classPath) {
  /** Below the folder that is named, at most. */
  private static final int DEPTH_MAX = 4;

  /** A file of each part without which no server starts, and what that part is called. */
  private static final Map<String, String> PARTS = parts();

  public StockVoldemort {
    classPath = List.copyOf(classPath);
  }

  private static Map<String, String> parts() {
    Map<String, String> parts = new LinkedHashMap<>();
    parts.put("voldemort/server/VoldemortServer.class", "Voldemort itself (voldemort-1.10.26.jar)");
    parts.put(
        "voldemort/xml/cluster.xsd",
        "what lies beside Voldemort's sources and is no source (voldemort/xml/cluster.xsd)");
    parts.put("com/sleepycat/je/Environment.class", "Berkeley DB Java Edition (je-5.0.73.jar)");
    parts.put("com/google/protobuf/Message.class", "protobuf-java-2.3.0.jar");
    parts.put("org/jdom/Document.class", "jdom-1.1.jar");
    parts.put("org/apache/log4j/Logger.class", "log4j-1.2.17.jar");
    parts.put("org/apache/commons/lang/StringUtils.class", "commons-lang-2.4.jar");
    parts.put("com/google/common/collect/Lists.class", "guava-14.0.1.jar");
    return parts;
  }

  /**
   * What lies in {@code folder} or a few folders below it: jars, or a folder of compiled classes.
   * Throws {@link IllegalArgumentException} that names what is missing.
   */
  public static StockVoldemort in(Path folder) throws IOException {
    List<Path> classPath = new ArrayList<>();
    Map<String, String> missing = new LinkedHashMap<>(PARTS);
    if (Files.isDirectory(folder)) {
      for (Path each : candidates(folder)) {
        List<String> found = found(each);
        missing.keySet().removeAll(found);
        if (!Files.isDirectory(each) || !found.isEmpty()) {
          classPath.add(each.toAbsolutePath());
        }
      }
    }
    if (!missing.isEmpty()) {
      throw new IllegalArgumentException(
          "a folder of a stock Voldemort must hold %s: there is none in %s. Get the project 'voldemort/voldemort' at release 1.10.26, build it with its own './gradlew jar copyDeps', and name its folder"
              .formatted(String.join(", ", missing.values()), folder));
    }
    return new StockVoldemort(folder, classPath);
  }

  private static List<Path> candidates(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder, DEPTH_MAX)) {
      return all.filter(each -> Files.isDirectory(each) || isLibrary(each)).sorted().toList();
    }
  }

  private static boolean isLibrary(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(".jar") && !name.endsWith("-sources.jar") && !name.contains("-src");
  }

  private static List<String> found(Path candidate) throws IOException {
    if (Files.isDirectory(candidate)) {
      return PARTS.keySet().stream().filter(part -> Files.exists(candidate.resolve(part))).toList();
    }
    try (JarFile jar = new JarFile(candidate.toFile())) {
      return PARTS.keySet().stream().filter(part -> jar.getEntry(part) != null).toList();
    }
  }

  /** For the JVM that is to run it. */
  public String classPathText() {
    return String.join(File.pathSeparator, classPath.stream().map(Path::toString).toList());
  }
}
