package io.palinode.demo;

import io.palinode.demo.report.Mode;
import io.palinode.examples.graph.Edge;
import io.palinode.examples.graph.Graph;
import io.palinode.examples.graph.Keys;
import io.palinode.orchestrator.rest.Views.StatusView;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Refusal;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.client.session.StoreException;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.util.List;

/** Looks at a cluster of somebody else's before anything runs on it, and makes room there. */
final class ExternalStage {
  private final ExternalCluster cluster;
  private final ApiClient api;

  ExternalStage(ExternalCluster cluster) {
    this.cluster = cluster;
    this.api = ApiClient.at(cluster.server());
  }

  ApiClient api() {
    return api;
  }

  /**
   * Throws {@link Refusal}, with what to do, when the nodes do not answer or are no Voldemort, have
   * no such store, are too few, or, where {@code modes} need it, have no orchestrator.
   */
  Stage find(List<Mode> modes) {
    try (StoreClient client = connect()) {
      StoreDefinition store = store(client);
      Stage stage = new Stage(cluster.addresses(), client.cluster().nodes().size(), store);
      if (modes.contains(Mode.SEQUENTIAL)) {
        requireSequential(stage);
      }
      if (modes.stream().anyMatch(Mode::watched)) {
        requireWatched(client, stage);
      }
      return stage;
    }
  }

  private StoreClient connect() {
    try {
      return StoreClient.connect(ClientConfig.of(cluster.addresses(), "demo"));
    } catch (StoreException e) {
      throw new Refusal(
          "--store-address must name nodes that speak Voldemort's pb0, on their socket-port: "
              + e.getMessage(),
          e);
    }
  }

  private StoreDefinition store(StoreClient client) {
    try {
      return client.store(cluster.store()).definition();
    } catch (IllegalArgumentException e) {
      List<String> names = client.stores().stream().map(StoreDefinition::name).toList();
      throw new Refusal(
          "the cluster has no store '%s', only %s: add one to its stores.xml (docs/how-to/try-the-demo-on-your-cluster.md has it), or name one that may be written to with --store"
              .formatted(cluster.store(), names),
          e);
    }
  }

  private static void requireSequential(Stage stage) {
    StoreDefinition store = stage.store();
    if (store.requiredReads() + store.requiredWrites() <= store.replicationFactor()) {
      throw new Refusal(
          "mode sequential needs a store with R + W > N, but store '%s' has %s: leave the mode out, or name another --store"
              .formatted(store.name(), stage.settings()));
    }
  }

  private void requireWatched(StoreClient client, Stage stage) {
    StatusView status = status();
    if (status.nodes() != stage.nodes()) {
      throw new Refusal(
          "the orchestrator at %s is for %d nodes, but the cluster has %d: name the one that belongs to it with --server"
              .formatted(cluster.server(), status.nodes(), stage.nodes()));
    }
    if (status.nodesJoined() < stage.nodes()) {
      throw new Refusal(
          "%d of the cluster's %d nodes have joined: start the others with the agent, on the same Kafka ('palinode get nodes', 'palinode doctor --agent')"
              .formatted(status.nodesJoined(), stage.nodes()));
    }
    if (client.epoch() < 0) {
      throw new Refusal(
          "the node that answered has no clock: it is a stock server without the agent (docs/stores/voldemort.md)");
    }
    if (status.phase() != null) {
      throw new Refusal(
          "a rollback is under way there (%s): wait for its end".formatted(status.phase()));
    }
  }

  private StatusView status() {
    try {
      return api.get("/api/v1/status", StatusView.class);
    } catch (Refusal e) {
      throw new Refusal(
          "modes alerting and watched need the cluster's orchestrator: " + e.getMessage(), e);
    }
  }

  /**
   * Resets, on all replicas, the keys of an earlier run. A section or wish of an ended client would
   * block the lock forever. Wrong colours would be a violation at the start of watching, and no
   * earlier time can be restored.
   */
  void clear(Graph graph, Stage stage) {
    try (StoreClient client = connect()) {
      Store store = client.store(stage.store().name());
      for (Edge edge : graph.edges()) {
        for (int end : new int[] {edge.a(), edge.b()}) {
          clear(store, stage.nodes(), Keys.flag(edge, end), Keys.FREE);
          clear(store, stage.nodes(), Keys.cs(edge, end), Keys.CLEARED);
        }
      }
    }
  }

  /**
   * On top of what any replica has: a version that only one of them has may still make a term true.
   */
  private static void clear(Store store, int nodes, String key, String neutral) {
    VectorClock known = VectorClock.EMPTY;
    boolean isNeutral = true;
    for (int node = 0; node < nodes; node++) {
      for (Versioned version : store.versionsAt(node, key)) {
        known = known.merge(version.clock());
        isNeutral &= version.text().equals(neutral);
      }
    }
    if (!isNeutral) {
      store.put(key, Versioned.ofText(neutral, known));
    }
  }
}
