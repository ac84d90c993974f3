package io.palinode.benchmarks.cassandra;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The jars of a stock Apache Cassandra 5.0 on this machine.
 *
 * @param jars its own one and those that it needs
 */
public record StockCassandra(List<Path> jars) {
  /** Below the folder that is named, at most. */
  private static final int DEPTH_MAX = 2;

  private static final String SERVER = "org/apache/cassandra/service/CassandraDaemon.class";

  public StockCassandra {
    jars = List.copyOf(jars);
  }

  /**
   * The jars in {@code folder} and in its folders, such as {@code lib}. Throws {@link
   * IllegalArgumentException} if no jar has Cassandra's server.
   */
  public static StockCassandra in(Path folder) throws IOException {
    List<Path> jars = List.of();
    if (Files.isDirectory(folder)) {
      try (Stream<Path> all = Files.walk(folder, DEPTH_MAX)) {
        jars =
            all.filter(each -> each.toString().endsWith(".jar") && Files.isRegularFile(each))
                .map(Path::toAbsolutePath)
                .sorted()
                .toList();
      }
    }
    for (Path each : jars) {
      try (JarFile jar = new JarFile(each.toFile())) {
        if (jar.getEntry(SERVER) != null) {
          return new StockCassandra(jars);
        }
      }
    }
    throw new IllegalArgumentException(
        "a folder of a stock Cassandra must hold apache-cassandra-5.0.*.jar and the jars that it needs: there is none in %s. Unpack a release of Apache Cassandra 5.0, and name its folder"
            .formatted(folder));
  }

  /** For the JVM that is to run it. */
  String classPath() {
    return jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
  }
}
