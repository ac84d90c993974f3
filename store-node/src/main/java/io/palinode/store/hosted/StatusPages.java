package io.palinode.store.hosted;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves pages in JSON, and {@code /metrics}, on the loopback address. */
public final class StatusPages {
  private static final Logger log = LoggerFactory.getLogger(StatusPages.class);
  private static final int OK = 200;
  private static final int BAD_REQUEST = 400;
  private static final int THREADS = 2;

  /** For a request to arrive, and for its answer to be read. */
  private static final String REQUEST_SECONDS_MAX = "5";

  /** The answer to a request. */
  @FunctionalInterface
  public interface Page {
    /**
     * Returns JSON. Throws {@link IllegalArgumentException} with the reason for a request that
     * cannot be answered.
     *
     * @param query null if the request has none
     */
    String json(@Nullable String query) throws IOException;
  }

  private StatusPages() {}

  /**
   * Serves until the process ends. Returns false if the port cannot be opened: the server runs
   * without these pages.
   *
   * @param pages by their paths
   */
  public static boolean start(int port, Map<String, Page> pages, PrometheusMeterRegistry registry) {
    // The JDK reads them at the first such server of the process; by default neither has an end.
    System.setProperty("sun.net.httpserver.maxReqTime", REQUEST_SECONDS_MAX);
    System.setProperty("sun.net.httpserver.maxRspTime", REQUEST_SECONDS_MAX);
    // An answer on a kept connection else waits 40 ms, until the client acknowledges its headers.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    try {
      HttpServer http =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
      pages.forEach((path, page) -> http.createContext(path, exchange -> answer(exchange, page)));
      http.createContext(
          "/metrics",
          exchange -> answer(exchange, OK, "text/plain; version=0.0.4", registry.scrape()));
      http.setExecutor(
          Executors.newFixedThreadPool(
              THREADS, work -> JoinedDetector.daemon(work, "palinode-status")));
      startDaemon(http);
      return true;
    } catch (IOException e) {
      log.error(
          "agent statusPort={} state=NO_STATUS, the server runs without its pages: {}; set another statusPort",
          port,
          e.getMessage());
      return false;
    }
  }

  /** Its thread is of the kind that starts it: a server whose own start fails is to end. */
  private static void startDaemon(HttpServer http) {
    Thread starter = JoinedDetector.daemon(http::start, "palinode-status");
    starter.start();
    try {
      starter.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void answer(HttpExchange exchange, Page page) throws IOException {
    try {
      answer(exchange, OK, "application/json", page.json(exchange.getRequestURI().getRawQuery()));
    } catch (IllegalArgumentException refused) {
      String error =
          new ObjectMapper().createObjectNode().put("error", refused.getMessage()).toString();
      answer(exchange, BAD_REQUEST, "application/json", error);
    }
  }

  private static void answer(HttpExchange exchange, int status, String type, String text)
      throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(status, body.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(body);
    }
  }
}
