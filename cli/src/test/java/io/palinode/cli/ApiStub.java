package io.palinode.cli;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine;

/** An API of fixed answers, and what commands print of them. */
final class ApiStub implements AutoCloseable {
  private final Map<String, HttpHandler> handlers = new ConcurrentHashMap<>();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final Map<String, String> bodies = new ConcurrentHashMap<>();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final int port;
  private final AtomicLong requests = new AtomicLong();
  private HttpServer server;
  private volatile int status = 200;

  ApiStub() throws IOException {
    server = at(0);
    server.start();
    port = server.getAddress().getPort();
  }

  private static HttpServer at(int port) throws IOException {
    return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
  }

  String url() {
    return "http://127.0.0.1:" + port;
  }

  /** From now on each answer has this status. */
  void status(int code) {
    status = code;
  }

  /** Answers again after {@link #close}, at the same address. */
  void restart() throws IOException {
    server = at(port);
    handlers.forEach(server::createContext);
    server.start();
  }

  void answer(String path, String body) {
    answer(path, body, "");
  }

  /** From now on, also instead of an earlier answer. An empty {@code total} is not sent. */
  void answer(String path, String body, String total) {
    if (bodies.put(path, body) != null) {
      return;
    }
    HttpHandler handler =
        exchange -> {
          String query = exchange.getRequestURI().getRawQuery();
          if (query != null) {
            asked.add(query);
          }
          String any = bodies.getOrDefault(path, "");
          byte[] bytes =
              bodies.getOrDefault(path + "?" + query, any).getBytes(StandardCharsets.UTF_8);
          if (!total.isEmpty()) {
            exchange.getResponseHeaders().add("X-Total-Count", total);
          }
          int code = status;
          requests.incrementAndGet();
          exchange.sendResponseHeaders(code, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        };
    handlers.put(path, handler);
    server.createContext(path, handler);
  }

  /** The answer of {@code path}, which has one already, to a request with this query. */
  void answerQuery(String path, String query, String body) {
    bodies.put(path + "?" + query, body);
  }

  /** The exit status of {@code palinode} with these arguments. */
  int run(String... args) {
    CommandLine command = Main.commandLine();
    // With buffers, as the writers of a process.
    command
        .setOut(new PrintWriter(new BufferedWriter(out), true))
        .setErr(new PrintWriter(new BufferedWriter(err), true));
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(List.of("--server", url()));
    return command.execute(all.toArray(String[]::new));
  }

  /** The queries of all requests. */
  List<String> asked() {
    return asked;
  }

  /** How many were received. */
  long requests() {
    return requests.get();
  }

  String out() {
    return out.toString();
  }

  String err() {
    return err.toString();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
