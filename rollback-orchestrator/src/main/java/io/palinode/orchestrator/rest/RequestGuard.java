package io.palinode.orchestrator.rest;

import io.javalin.http.ContentTooLargeResponse;
import io.javalin.http.Context;
import io.javalin.http.ForbiddenResponse;
import io.javalin.http.Handler;
import io.javalin.http.HttpResponseException;
import io.javalin.http.HttpStatus;
import io.javalin.http.LengthRequiredResponse;
import io.javalin.http.UnsupportedMediaTypeResponse;
import io.palinode.orchestrator.rest.access.AccessSettings;
import io.palinode.orchestrator.rest.problem.ProblemCode;
import io.palinode.orchestrator.rest.problem.ProblemException;
import io.palinode.predicate.form.Predicates;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests that a page of another site makes a browser send, and bounds bodies. Without
 * users, every request from this machine may change everything.
 *
 * <p>Thread-safe. A body is read here, into memory, by at most {@link #BODIES_MAX} threads at a
 * time; the other threads answer requests without a body.
 */
public final class RequestGuard {
  static final int BODIES_MAX = 8;
  static final int WAITING_MAX = 4;
  static final int BODY_BYTES_MAX = 4 * Predicates.DOCUMENT_BYTES_MAX;

  /** A body may take so long at any rate: a busy machine delays small ones. */
  private static final long GRACE_MS = 5_000;

  private static final int BODY_BYTES_PER_MS_MIN = 64;
  private static final int CHUNK_BYTES = 8_192;
  private static final String BODY = "palinode.body";
  private static final String OTHER_METHOD = "X-HTTP-Method-Override";

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
  private final Semaphore waiting = new Semaphore(WAITING_MAX);

  /** Requests may name the address of the API, or the loopback interface. */
  public RequestGuard(RestSettings settings) {
    String address = settings.host();
    this.host = address.contains(":") ? "[" + address + "]" : address;
    // A browser has no token of a site that another name was made to resolve to.
    this.anyHost = settings.access().hasUsers() || !AccessSettings.isLoopback(settings.host());
  }

  /** Throws the exception of an answer 400 or 403. */
  public void checkSite(Context ctx) {
    if (ctx.header(OTHER_METHOD) != null) {
      // Javalin would take it for the method, behind the back of a proxy that checks methods.
      throw new ProblemException(
          ProblemCode.INVALID_REQUEST,
          "the first line of a request names its method: leave out " + OTHER_METHOD);
    }
    if (!anyHost) {
      requireOwnHost(ctx.header("Host"));
    }
    requireOwnOrigin(ctx.header("Origin"), ctx.scheme() + "://" + ctx.header("Host"));
  }

  /**
   * Bounds requests that wait for nodes or for Kafka: at most {@link #WAITING_MAX} of all such
   * routes at a time, and 503 for the others. The other threads answer what does not wait.
   */
  Handler bounded(Handler handler) {
    return ctx -> {
      if (!waiting.tryAcquire()) {
        throw new UnavailableException(
            "%d requests wait for nodes or Kafka already: repeat this one".formatted(WAITING_MAX));
      }
      try {
        handler.handle(ctx);
      } finally {
        waiting.release();
      }
    };
  }

  /** Throws the exception of an answer 408, 411, 413, 415 or 503. */
  void checkBody(Context ctx) {
    if (ctx.header("Transfer-Encoding") != null) {
      throw new LengthRequiredResponse("a request with a body must have a Content-Length");
    }
    if (ctx.contentLength() > BODY_BYTES_MAX) {
      throw new ContentTooLargeResponse(
          "a body has at most %d bytes: Content-Length=%d"
              .formatted(BODY_BYTES_MAX, ctx.contentLength()));
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

  private void readBody(Context ctx) {
    if (!bodies.tryAcquire()) {
      throw new ProblemException(
          ProblemCode.TOO_MANY_BODIES,
          "%d other requests are being received; try again".formatted(BODIES_MAX));
    }
    try {
      ctx.attribute(BODY, received(ctx.req().getInputStream(), ctx.contentLength()));
    } catch (IOException e) {
      throw new HttpResponseException(
          HttpStatus.REQUEST_TIMEOUT.getCode(), "the body has not arrived: " + e.getMessage());
    } finally {
      bodies.release();
    }
  }

  /** A read ends when the connection was idle for too long. */
  private static byte[] received(InputStream in, int length) throws IOException {
    long startNanos = System.nanoTime();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] chunk = new byte[CHUNK_BYTES];
    while (bytes.size() < length) {
      int read = in.read(chunk, 0, Math.min(chunk.length, length - bytes.size()));
      if (read < 0) {
        throw new EOFException("its connection ended");
      }
      bytes.write(chunk, 0, read);
      long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
      if (millis - GRACE_MS > bytes.size() / BODY_BYTES_PER_MS_MIN) {
        throw new IOException("it comes too slowly");
      }
    }
    return bytes.toByteArray();
  }

  /** The text of a request's body; empty if there is none. */
  static String body(Context ctx) {
    byte[] bytes = ctx.attribute(BODY);
    return bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
  }
}
