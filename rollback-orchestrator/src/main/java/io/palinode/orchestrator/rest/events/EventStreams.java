package io.palinode.orchestrator.rest.events;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.javalin.http.Context;
import io.palinode.orchestrator.health.Judgement;
import io.palinode.orchestrator.health.NodeState;
import io.palinode.orchestrator.history.Change;
import io.palinode.orchestrator.history.ChangeLog;
import io.palinode.orchestrator.rest.problem.ProblemCode;
import io.palinode.orchestrator.rest.problem.ProblemException;
import io.palinode.wire.Repeated;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends the changes of a log to clients as server-sent events, and the safe point. Adds the changes
 * of waits and nodes to the log. Thread-safe.
 *
 * <p>The id of an event is {@code <run>.<number>}. The run differs for each start of the server,
 * since numbers begin again then.
 */
public final class EventStreams implements AutoCloseable {
  public static final int CLIENTS_MAX = 16;

  /** The name of the thread of each stream. */
  public static final String THREAD = "palinode-rest-events";

  private static final int BATCH_MAX = 100;
  private static final Duration LOOK = Duration.ofMillis(50);
  private static final Duration WAITS_EVERY = Duration.ofMillis(500);
  private static final Duration SAFE_POINT_EVERY = Duration.ofSeconds(1);
  private static final Duration HEARTBEAT = Duration.ofSeconds(4);
  private static final int RUN_CHARS = 8;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final String run = UUID.randomUUID().toString().substring(0, RUN_CHARS);
  private final Semaphore clients = new Semaphore(CLIENTS_MAX);
  private final ChangeLog log;
  private final Supplier<Look> look;
  private final Function<Change, StreamedEvent> view;
  private volatile boolean closed;

  /** What no log has, at one time. */
  public record Look(Judgement judgement, List<NodeState> nodes, SafePoint safePoint) {}

  /** The data of an event {@code safe-point}. */
  public record SafePoint(String safePoint, String judged) {}

  /** {@code view} gives the event of a change. */
  public EventStreams(ChangeLog log, Supplier<Look> look, Function<Change, StreamedEvent> view) {
    this.log = log;
    this.look = look;
    this.view = view;
  }

  public void start() {
    start("palinode-rest-waits", this::watchWaits);
  }

  /** Answers a request with a stream. Throws {@link ProblemException} if there are too many. */
  public void open(Context ctx) {
    if (!clients.tryAcquire()) {
      throw new ProblemException(
          ProblemCode.TOO_MANY_CLIENTS,
          "too many clients receive events: %d, limit %d; close one"
              .formatted(CLIENTS_MAX, CLIENTS_MAX));
    }
    ctx.contentType("text/event-stream;charset=utf-8").header("Cache-Control", "no-cache");
    String lastId = ctx.header("Last-Event-ID");
    CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
    ctx.future(
        () -> {
          start(THREAD, () -> stream(ctx, lastId, ended));
          return ended;
        });
  }

  /** The streams end within a second. */
  @Override
  public void close() {
    closed = true;
  }

  private static void start(String name, Runnable body) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    thread.start();
  }

  private void watchWaits() {
    WaitChanges waits = new WaitChanges();
    NodeChanges nodes = new NodeChanges();
    Repeated watching =
        new Repeated(
            "events of waits and nodes",
            () -> {
              Look now = look.get();
              waits.next(now.judgement()).forEach(log::add);
              nodes.next(now.nodes()).forEach(log::add);
            });
    try {
      while (!closed) {
        watching.run();
        TimeUnit.NANOSECONDS.sleep(WAITS_EVERY.toNanos());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void stream(Context ctx, @Nullable String lastId, CompletableFuture<?> ended) {
    try {
      send(ctx.res().getOutputStream(), lastId);
    } catch (IOException gone) {
      // The client is gone, or has not read for too long.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      clients.release();
      // A request that ends with the server must not come back to Javalin: each of its handlers
      // would throw, and Javalin would try the next one for ever.
      if (!closed) {
        ended.complete(null);
      }
    }
  }

  /** Returns when the server ends, or the client is so slow that it misses changes. */
  private void send(OutputStream out, @Nullable String lastId)
      throws IOException, InterruptedException {
    long from = lastId == null ? log.last() : number(lastId);
    boolean missed = log.after(from, 1) == null;
    long sent = missed ? log.last() : from;
    // Before the client has the start: what moves after that must reach it.
    SafePoint known = look.get().safePoint();
    write(out, sent, new StreamedEvent("start", new StreamStart(missed)));
    long wroteNanos = System.nanoTime();
    long lookedNanos = wroteNanos;
    List<Change> next = log.after(sent, BATCH_MAX);
    while (!closed && next != null) {
      for (Change change : next) {
        write(out, ++sent, view.apply(change));
      }
      SafePoint now = known;
      if (System.nanoTime() - lookedNanos > SAFE_POINT_EVERY.toNanos()) {
        now = look.get().safePoint();
        lookedNanos = System.nanoTime();
      }
      if (!now.equals(known)) {
        known = now;
        // Without an id, since no log keeps it.
        write(out, event(new StreamedEvent("safe-point", now)));
        wroteNanos = System.nanoTime();
      } else if (!next.isEmpty()) {
        wroteNanos = System.nanoTime();
      } else if (System.nanoTime() - wroteNanos > HEARTBEAT.toNanos()) {
        write(out, ": heartbeat\n\n");
        wroteNanos = System.nanoTime();
      } else {
        TimeUnit.NANOSECONDS.sleep(LOOK.toNanos());
      }
      next = log.after(sent, BATCH_MAX);
    }
  }

  /** The number of an id of this run; -1 of another one. */
  private long number(String id) {
    return id.matches(run + "\\.[0-9]{1,18}") ? Long.parseLong(id.substring(RUN_CHARS + 1)) : -1;
  }

  private void write(OutputStream out, long number, StreamedEvent event) throws IOException {
    write(out, "id: %s.%d\n%s".formatted(run, number, event(event)));
  }

  private static String event(StreamedEvent event) throws IOException {
    return "event: %s\ndata: %s\n\n".formatted(event.type(), JSON.writeValueAsString(event.data()));
  }

  private static void write(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }
}
