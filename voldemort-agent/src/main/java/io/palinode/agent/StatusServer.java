package io.palinode.agent;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.palinode.hvc.Hlc;
import io.palinode.store.hosted.StatusPages;
import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.StoreNode;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Serves {@code /status} in JSON, and {@code /metrics}, on the loopback address. */
final class StatusServer {
  private final String version;
  private final Supplier<Set<String>> woven;
  private final WatchedServer server;

  private StatusServer(String version, Supplier<Set<String>> woven, WatchedServer server) {
    this.version = version;
    this.woven = woven;
    this.server = server;
  }

  /**
   * Serves until the process ends. Returns false if the port cannot be opened: the server runs
   * without these pages.
   */
  static boolean start(
      int port,
      String version,
      Supplier<Set<String>> woven,
      WatchedServer server,
      PrometheusMeterRegistry registry) {
    StatusServer status = new StatusServer(version, woven, server);
    return StatusPages.start(port, Map.of("/status", query -> status.json()), registry);
  }

  private String json() throws IOException {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("voldemort", version);
    all.put("woven", woven.get().stream().sorted().toList());
    all.put("joined", server.detector().isJoined());
    all.put("covered", server.isCovered());
    all.put("notJoined", server.detector().notJoined());
    all.put("off", server.fuse().isBlown());
    all.put("failures", server.fuse().failures());
    all.put("firstFailure", server.fuse().first());
    all.put("controlFailure", server.detector().controlFailure());
    all.put("stores", server.watched());
    all.put("unwatchedStores", server.unwatched());
    all.put("addedStores", server.added());
    StoreNode node = server.node();
    if (node != null) {
      all.put("node", node.node());
      all.put("incarnation", node.incarnation());
      all.put("epoch", node.fence().epoch());
      all.put("paused", node.fence().paused());
      all.put("reach", Hlc.format(node.reach()));
      all.put("safePoint", Hlc.format(node.safePoint()));
      all.put("windowLogBytes", node.past().bytes());
      for (NodeCounter counter : NodeCounter.values()) {
        all.put(counter.name().toLowerCase(Locale.ROOT), node.counters().get(counter));
      }
    }
    return new ObjectMapper().writeValueAsString(all);
  }
}
