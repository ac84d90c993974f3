package io.palinode.benchmarks.stock;

import io.palinode.voldemort.cluster.Cluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts a stock Voldemort server. */
final class StockServer {
  /** Without the hints of a cluster, for it is one node; and else as it comes. */
  private static final String PROPERTIES =
      """
      node.id=0
      http.enable=false
      socket.enable=true
      enable.nio.connector=true
      jmx.enable=false
      slop.enable=false
      storage.configs=voldemort.store.bdb.BdbStorageConfiguration
      """;

  private static final String LOGGING =
      """
      log4j.rootLogger=WARN, out
      log4j.appender.out=org.apache.log4j.ConsoleAppender
      log4j.appender.out.layout=org.apache.log4j.PatternLayout
      log4j.appender.out.layout.ConversionPattern=%d{ISO8601} %p %c{1} %m%n
      """;

  private StockServer() {}

  /**
   * Returns when it serves; see {@link ServerProcess#start}. Throws {@link StockStartException}
   * when it does not.
   *
   * @param home its folder, which is empty
   * @param properties of the server, like {@code bdb.cache.size=64MB}
   * @param jvm options of its process, like {@code -Xmx512m}, or {@code -javaagent:…}
   */
  static ServerProcess start(
      StockVoldemort voldemort, Path home, List<String> properties, List<String> jvm)
      throws IOException, InterruptedException {
    Cluster cluster = ServerProcess.layOut(home);
    Path config = ServerProcess.config(home);
    Files.writeString(
        config.resolve("server.properties"), PROPERTIES + String.join("\n", properties) + "\n");
    Path logging = Files.writeString(config.resolve("log4j.properties"), LOGGING);
    List<String> java = new ArrayList<>(jvm);
    java.add("-Dlog4j.configuration=" + logging.toUri());
    java.addAll(List.of("-cp", voldemort.classPathText()));
    java.addAll(List.of("voldemort.server.VoldemortServer", home.toString(), config.toString()));
    try {
      return ServerProcess.start(home, cluster, java);
    } catch (NotServingException e) {
      throw new StockStartException(voldemort.folder(), e);
    }
  }
}
