package io.palinode.orchestrator.rest.past;

import io.javalin.config.RoutesConfig;
import io.javalin.http.BadRequestResponse;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.PointInTime;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.rest.access.Role;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The routes that read values of the stores, which only operators may. */
public final class PastRoutes {
  private static final String REACH = "/api/v1/past/reach";
  private static final String VALUE = "/api/v1/past/value";
  private static final String DIFFERENCES = "/api/v1/past/differences";
  private static final String HISTORY = "/api/v1/past/history";
  private static final String STORE = "default";
  private static final int LIMIT_DEFAULT = 100;
  private static final int LIMIT_MAX = 1_000;

  /** The query parameters by route. */
  public static final Map<String, Set<String>> PARAMETERS =
      Map.of(
          "GET " + VALUE,
          Set.of("store", "key", "at"),
          "GET " + DIFFERENCES,
          Set.of("store", "from", "to", "keys"),
          "GET " + HISTORY,
          Set.of("store", "key", "from", "to", "before", "limit"));

  private final @Nullable PastBackend past;
  private final LongFunction<List<RollbackSpan>> rollbacks;

  /**
   * @param past null: the nodes are not known, and each request is refused
   * @param rollbacks what they discarded after an HLC
   */
  public PastRoutes(@Nullable PastBackend past, LongFunction<List<RollbackSpan>> rollbacks) {
    this.past = past;
    this.rollbacks = rollbacks;
  }

  /**
   * @param bounded limits the requests that wait for nodes at a time
   */
  public void addTo(RoutesConfig routes, UnaryOperator<Handler> bounded) {
    routes.get(REACH, bounded.apply(ctx -> ctx.json(past().reach())), Role.VIEWER);
    routes.get(VALUE, bounded.apply(this::value), Role.OPERATOR);
    routes.get(DIFFERENCES, bounded.apply(this::differences), Role.OPERATOR);
    routes.get(HISTORY, bounded.apply(this::history), Role.OPERATOR);
  }

  private void value(Context ctx) throws RefusedException {
    String key = required(ctx, "key");
    long at = time(ctx, "at");
    ctx.json(past().value(store(ctx), key, at));
  }

  private void differences(Context ctx) throws RefusedException {
    long from = time(ctx, "from");
    long to = time(ctx, "to");
    requireOrder(from, to);
    String keys = ctx.queryParam("keys");
    ctx.json(past().differences(store(ctx), from, to, keys == null ? "*" : keys));
  }

  private void history(Context ctx) throws RefusedException {
    String key = required(ctx, "key");
    Long from = ctx.queryParam("from") == null ? null : Long.valueOf(time(ctx, "from"));
    long to = ctx.queryParam("to") == null ? now() : time(ctx, "to");
    long before = ctx.queryParam("before") == null ? Long.MAX_VALUE : time(ctx, "before");
    if (from != null) {
      requireOrder(from, to);
    }
    PastBackend.Span span = new PastBackend.Span(from, to, before);
    ctx.json(
        past()
            .history(
                new PastBackend.HistoryQuestion(store(ctx), key, span, limit(ctx)), rollbacks));
  }

  private static int limit(Context ctx) {
    String text = ctx.queryParam("limit");
    if (text == null) {
      return LIMIT_DEFAULT;
    }
    int limit = text.matches("[0-9]{1,5}") ? Integer.parseInt(text) : 0;
    if (limit < 1 || limit > LIMIT_MAX) {
      throw new BadRequestResponse("limit must be in [1, " + LIMIT_MAX + "]: limit=" + text);
    }
    return limit;
  }

  private static void requireOrder(long from, long to) {
    if (from > to) {
      throw new BadRequestResponse(
          "from must not be after to: from=%s to=%s"
              .formatted(PointInTime.format(from), PointInTime.format(to)));
    }
  }

  private PastBackend past() throws RefusedException {
    if (past == null) {
      throw new RefusedException(
          "this orchestrator knows no store nodes: start it with --store-nodes, or read by"
              + " 'palinode get-value KEY --at -30s'");
    }
    return past;
  }

  private static String store(Context ctx) {
    String store = ctx.queryParam("store");
    return store == null ? STORE : store;
  }

  private static String required(Context ctx, String name) {
    String value = ctx.queryParam(name);
    if (value == null || value.isEmpty()) {
      throw new BadRequestResponse(name + " must be named: " + ctx.path() + "?" + name + "=…");
    }
    return value;
  }

  private static long time(Context ctx, String name) {
    try {
      return PointInTime.parse(required(ctx, name), nowMicros());
    } catch (IllegalArgumentException e) {
      throw new BadRequestResponse(name + ": " + e.getMessage());
    }
  }

  private static long now() {
    return Hlc.ofMicros(nowMicros());
  }

  private static long nowMicros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }
}
