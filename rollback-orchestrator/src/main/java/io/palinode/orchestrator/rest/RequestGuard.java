package io.palinode.orchestrator.rest;

import io.javalin.http.Context;
import io.javalin.http.ForbiddenResponse;
import io.javalin.http.LengthRequiredResponse;
import io.javalin.http.UnsupportedMediaTypeResponse;
import io.palinode.orchestrator.rest.problem.ProblemCode;
import io.palinode.orchestrator.rest.problem.ProblemException;
import java.net.URI;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests that a page of another site makes a browser send, and bounds bodies. The API has
 * no users yet, so every request from this machine may change everything.
 *
 * <p>Thread-safe. A body is read here, into memory, by at most {@link #BODIES_MAX} threads at a
 * time; the other threads answer requests without a body.
 */
final class RequestGuard {
  static final int BODIES_MAX = 8;

  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");
  private static final Set<String> BODY_TYPES =
      Set.of(
          "application/json",
          "application/yaml",
          "application/x-yaml",
          "text/yaml",
          "application/xml",
          "text/xml");

  private final String host;
  private final Semaphore bodies = new Semaphore(BODIES_MAX);

  /**
   * @param host the name under which the API listens; requests may also name the loopback interface
   */
  RequestGuard(String host) {
    this.host = host.contains(":") ? "[" + host + "]" : host;
  }

  /** Throws the exception of an answer 403, 411, 413, 415 or 503. */
  void check(Context ctx) {
    requireOwnHost(ctx.header("Host"));
    requireOwnOrigin(ctx.header("Origin"), ctx.header("Host"));
    if (ctx.header("Transfer-Encoding") != null) {
      throw new LengthRequiredResponse("a request with a body must have a Content-Length");
    }
    if (ctx.contentLength() > 0) {
      requireBodyType(ctx.contentType());
      readBody(ctx);
    }
  }

  /** A name of another site that resolves to this address is a trick on the browser. */
  private void requireOwnHost(@Nullable String header) {
    String name = hostOf("http://" + header);
    if (name == null || (!LOOPBACK.contains(name) && !name.equals(host))) {
      throw new ForbiddenResponse("this API answers to " + host + " and localhost: Host=" + header);
    }
  }

  private static void requireOwnOrigin(@Nullable String origin, @Nullable String host) {
    if (origin != null && !origin.equalsIgnoreCase("http://" + host)) {
      throw new ForbiddenResponse("pages of another site may not use this API: Origin=" + origin);
    }
  }

  private static @Nullable String hostOf(String url) {
    try {
      String name = URI.create(url).getHost();
      return name == null ? null : name.toLowerCase(Locale.ROOT);
    } catch (IllegalArgumentException notAUrl) {
      return null;
    }
  }

  /** A browser sends only types outside of this list without asking first. Absent: a program. */
  private static void requireBodyType(@Nullable String header) {
    String type = header == null ? null : header.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    if (type != null && !BODY_TYPES.contains(type)) {
      throw new UnsupportedMediaTypeResponse(
          "the Content-Type of a body must be application/json, application/yaml or"
              + " application/xml: "
              + type);
    }
  }

  /** The handlers read the same bytes, which Javalin keeps. It refuses a longer body. */
  private void readBody(Context ctx) {
    if (!bodies.tryAcquire()) {
      throw new ProblemException(
          ProblemCode.TOO_MANY_BODIES,
          "%d other requests are being received; try again".formatted(BODIES_MAX));
    }
    try {
      byte[] unused = ctx.bodyAsBytes();
    } finally {
      bodies.release();
    }
  }
}
