package io.palinode.orchestrator.rest.access;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A line for each request that changes something, or was not allowed to: in the log, and as JSON
 * for the topic. Thread-safe.
 *
 * <p>A stranger causes at most {@link #REFUSED_MAX} lines in a minute; the next line counts the
 * others.
 */
public final class AuditLog {
  static final int REFUSED_MAX = 100;
  private static final Logger log = LoggerFactory.getLogger("io.palinode.audit");
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final int REQUEST_CHARS_MAX = 500;
  private static final int BAD_REQUEST = 400;
  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;

  private static final String RESULT = "palinode.result";

  private final Consumer<String> topic;
  private final LongSupplier nanoTime;
  private long minuteNanos;
  private int refused;
  private long unwritten;

  /**
   * @param topic receives each line as JSON; must not block
   */
  public AuditLog(Consumer<String> topic, LongSupplier nanoTime) {
    this.topic = topic;
    this.nanoTime = nanoTime;
    this.minuteNanos = nanoTime.getAsLong();
  }

  /** Names what a request made, such as {@code rollback 7}. */
  public static void made(Context ctx, String what) {
    ctx.attribute(RESULT, what);
  }

  /** For a request that was answered. */
  public void write(Context ctx) {
    int status = ctx.statusCode();
    boolean isDenied = status == UNAUTHORIZED || status == FORBIDDEN;
    String method = ctx.method().toString();
    if ((method.equals("GET") || method.equals("HEAD")) && !isDenied) {
      return;
    }
    boolean isRefused = isDenied || (status >= BAD_REQUEST && Access.userName(ctx).isEmpty());
    long others = isRefused ? admitRefused() : 0;
    if (others >= 0) {
      write(ctx, method, status, others);
    }
  }

  private void write(Context ctx, String method, int status, long others) {
    String user = Access.userName(ctx);
    String query = ctx.queryString();
    String request = query == null ? ctx.path() : ctx.path() + "?" + query;
    if (request.length() > REQUEST_CHARS_MAX) {
      request = request.substring(0, REQUEST_CHARS_MAX) + "…";
    }
    String made = ctx.attribute(RESULT);
    ObjectNode line =
        JSON.createObjectNode()
            .put("at", Instant.now().toString())
            .put("user", user.isEmpty() ? null : user)
            .put("from", ctx.ip())
            .put("request", method + " " + request)
            .put("status", status)
            .put("made", made);
    if (others > 0) {
      line.put("unwritten", others);
    }
    log.info(
        "user={} from={} request=\"{} {}\" status={} made=\"{}\" unwritten={}",
        user.isEmpty() ? "-" : user,
        ctx.ip(),
        method,
        request,
        status,
        made == null ? "" : made,
        others);
    topic.accept(text(line));
  }

  /** The refused requests since the last line that have none; below 0: this one gets none too. */
  private synchronized long admitRefused() {
    long now = nanoTime.getAsLong();
    if (now - minuteNanos >= MINUTE_NANOS) {
      minuteNanos = now;
      refused = 0;
    }
    if (refused == REFUSED_MAX) {
      unwritten++;
      return -1;
    }
    refused++;
    long others = unwritten;
    unwritten = 0;
    return others;
  }

  private static String text(ObjectNode line) {
    try {
      return JSON.writeValueAsString(line);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of texts is always JSON", e);
    }
  }
}
