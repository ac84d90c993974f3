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
 * Refuses requests that a page of another site makes a browser send, and bounds bodies. Without
 * users, every request from this machine may change everything.
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
  private final boolean anyHost;
  private final Semaphore bodies = new Semaphore(BODIES_MAX);

  /** Requests may name the address of the API, or the loopback interface. */
  RequestGuard(RestSettings settings) {
    String address = settings.host();
    this.host = address.contains(":") ? "[" + address + "]" : address;
    // A browser has no token of a site that another name was made to resolve to.
    this.anyHost = settings.access().users() != null || settings.access().insecure();
  }

  /** Throws the exception of an answer 403. */
  void checkSite(Context ctx) {
    if (!anyHost) {
      requireOwnHost(ctx.header("Host"));
    }
    requireOwnOrigin(ctx.header("Origin"), ctx.scheme() + "://" + ctx.header("Host"));
  }

  /** Throws the exception of an answer 411, 413, 415 or 503. */
  void checkBody(Context ctx) {
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

  private static void requireOwnOrigin(@Nullable String origin, String own) {
    if (origin != null && !origin.equalsIgnoreCase(own)) {
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
