package io.palinode.cli.options;

import io.palinode.terminal.Refusal;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which stores a cluster has; a picocli mixin. */
public final class StoresOption {
  private static final int REPLICAS_DEFAULT = 3;

  @Option(
      names = "--stores",
      paramLabel = "FILE",
      description =
          "A stores.xml of Voldemort, or the folder STORES of a server (default: one store named"
              + " 'default', on disk, with up to 3 replicas, R=1, W=1).")
  private @Nullable Path file;

  /** Throws {@link Refusal} for a store that wants more replicas than there are nodes. */
  public List<StoreDefinition> definitions(int nodes) throws IOException {
    if (file == null) {
      int replicas = Math.min(REPLICAS_DEFAULT, nodes);
      return List.of(StoreDefinition.of("default", Persistence.BDB, replicas, 1, 1));
    }
    List<StoreDefinition> stores = read(file);
    for (StoreDefinition store : stores) {
      if (store.replicationFactor() > nodes) {
        throw new Refusal(
            "store '%s' wants %d replicas, but there are %d nodes: start more, or ask for fewer"
                .formatted(store.name(), store.replicationFactor(), nodes));
      }
    }
    return stores;
  }

  /** A folder has a file for each store. */
  private static List<StoreDefinition> read(Path path) throws IOException {
    List<StoreDefinition> stores = new ArrayList<>();
    for (Path each : files(path)) {
      stores.addAll(StoreDefinition.parse(each.toString(), Files.readString(each)));
    }
    if (stores.isEmpty() && Files.isDirectory(path)) {
      throw new Refusal("--stores: there is no store in " + path);
    }
    return stores;
  }

  private static List<Path> files(Path path) throws IOException {
    if (!Files.isDirectory(path)) {
      return List.of(path);
    }
    try (Stream<Path> files = Files.list(path)) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }
}
