package io.palinode.cli;

import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Option;

/** Where the store nodes are; a picocli mixin. */
public final class StoreAccess {
  @Option(
      names = "--bootstrap",
      split = ",",
      paramLabel = "HOST:PORT",
      defaultValue = "${env:PALINODE_BOOTSTRAP:-127.0.0.1:6666}",
      description =
          "Store nodes to ask for the cluster (default: $PALINODE_BOOTSTRAP, else 127.0.0.1:6666).")
  private List<String> bootstrap = List.of();

  @Option(
      names = "--store",
      defaultValue = "default",
      paramLabel = "NAME",
      description = "The store (default: ${DEFAULT-VALUE}).")
  private String storeName = "";

  <T> T use(Function<Store, T> action) {
    try (StoreClient client = StoreClient.connect(ClientConfig.of(bootstrap, "palinode-cli"))) {
      return action.apply(client.store(storeName));
    }
  }
}
