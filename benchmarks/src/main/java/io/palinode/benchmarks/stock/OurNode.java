package io.palinode.benchmarks.stock;

import io.palinode.hvc.Epsilon;
import io.palinode.store.engine.StorageEngine.Durability;
import io.palinode.store.node.NodeSettings;
import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.server.StoreService;
import io.palinode.voldemort.server.StoreServiceConfig;
import io.palinode.voldemort.server.SystemMicros;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A node of ours in a separate process with default settings: it stamps each operation and logs
 * each write. It is not watched.
 */
final class OurNode {
  private static final long EPSILON_MICROS = 10_000;

  private OurNode() {}

  /**
   * One of this very build, with its own defaults. Returns when it serves; see {@link
   * ServerProcess#start}.
   */
  static ServerProcess start(Path home, Durability durability, List<String> jvm)
      throws IOException, InterruptedException {
    Cluster cluster = ServerProcess.layOut(home);
    List<String> java = new ArrayList<>(jvm);
    java.addAll(List.of("-cp", ownClassPath()));
    java.addAll(List.of(OurNode.class.getName(), home.toString(), durability.name()));
    return ServerProcess.start(home, cluster, java);
  }

  /** The process runs in another folder. */
  private static String ownClassPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .map(each -> Path.of(each).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** The folder, which holds cluster.xml and stores.xml, and how durable a write is. */
  public static void main(String[] args) throws IOException, InterruptedException {
    Path folder = Path.of(args[0]);
    Path config = ServerProcess.config(folder);
    StoreService service =
        StoreService.open(
            StoreServiceConfig.of(config(config, Durability.valueOf(args[1])), folder),
            new SystemMicros());
    service.start();
    new CountDownLatch(1).await();
  }

  private static StoreNodeConfig config(Path folder, Durability durability) throws IOException {
    Cluster cluster = Cluster.parse("cluster.xml", Files.readString(folder.resolve("cluster.xml")));
    List<StoreDefinition> stores =
        StoreDefinition.parse("stores.xml", Files.readString(folder.resolve("stores.xml")));
    NodeSettings settings = NodeSettings.of(Epsilon.ofMicros(EPSILON_MICROS));
    return new StoreNodeConfig(0, cluster, stores, settings.withWrites(durability));
  }
}
