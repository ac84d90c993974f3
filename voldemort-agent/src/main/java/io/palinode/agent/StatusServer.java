package io.palinode.agent;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.palinode.hvc.Hlc;
import io.palinode.store.hosted.JoinedDetector;
import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.StoreNode;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves {@code /status} in JSON, and {@code /metrics}, on the loopback address. */
final class StatusServer {
  private static final Logger log = LoggerFactory.getLogger(StatusServer.class);
  private static final int OK = 200;
  private static final int THREADS = 2;

  /** For a request to arrive, and for its answer to be read. */
  private static final String REQUEST_SECONDS_MAX = "5";

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
    // The JDK reads them at the first such server of the process; by default neither has an end.
    System.setProperty("sun.net.httpserver.maxReqTime", REQUEST_SECONDS_MAX);
    System.setProperty("sun.net.httpserver.maxRspTime", REQUEST_SECONDS_MAX);
    try {
      HttpServer http =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
      http.createContext(
          "/status", exchange -> answer(exchange, "application/json", status.json()));
      http.createContext(
          "/metrics", exchange -> answer(exchange, "text/plain; version=0.0.4", registry.scrape()));
      http.setExecutor(
          Executors.newFixedThreadPool(
              THREADS, work -> JoinedDetector.daemon(work, "palinode-status")));
      http.start();
      return true;
    } catch (IOException e) {
      log.error(
          "agent statusPort={} state=NO_STATUS, the server runs without /status and /metrics: {}; set another statusPort",
          port,
          e.getMessage());
      return false;
    }
  }

  private static void answer(HttpExchange exchange, String type, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(OK, body.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(body);
    }
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
