package io.palinode.demo;

import io.palinode.terminal.Refusal;
import io.palinode.voldemort.client.ClientConfig;
import java.util.List;

/**
 * A cluster that somebody else runs, named by the user.
 *
 * @param addresses of store nodes
 * @param store the store that the application may write to
 * @param server URL of the orchestrator's API
 */
public record ExternalCluster(List<String> addresses, String store, String server) {
  public ExternalCluster {
    addresses = List.copyOf(addresses);
    List<String> checked = addresses;
    var unused = Refusal.valid("--store-address", () -> ClientConfig.of(checked, "demo"));
  }
}
