package io.palinode.orchestrator.rest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import io.javalin.Javalin;
import io.javalin.http.BadRequestResponse;
import io.javalin.http.Context;
import io.javalin.http.NotFoundResponse;
import io.palinode.hvc.PointInTime;
import io.palinode.orchestrator.Discarded;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.orchestrator.RefusedException;
import io.palinode.orchestrator.Rollback;
import io.palinode.orchestrator.RollbackProgress;
import io.palinode.orchestrator.Wish;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The part of the API that is about rollbacks by hand, and about one rollback. */
final class RollbackRoutes {
  private static final String ROLLBACKS = "/api/v1/rollbacks";
  private static final String ONE = ROLLBACKS + "/{id}";
  private static final String APPROVALS = "/api/v1/approvals/{id}";
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  private final Backend backend;

  RollbackRoutes(Backend backend) {
    this.backend = backend;
  }

  /** The body of a request: one of the first three. */
  record Wanted(
      @Nullable String to,
      @Nullable String violation,
      @Nullable Long undo,
      @Nullable String request) {}

  void addTo(Javalin server) {
    server.get("/api/v1/openapi.yaml", RollbackRoutes::describe);
    server.get(ONE, ctx -> ctx.json(view(known(ctx))));
    server.get(ONE + "/discarded", this::discarded);
    server.post(ROLLBACKS, ctx -> ctx.status(202).json(view(backend.rollBack(wish(ctx)))));
    server.post(ROLLBACKS + "/plan", ctx -> ctx.json(EffectView.of(backend.effect(wish(ctx)))));
    server.post(ONE + "/cancel", this::cancel);
    server.post(APPROVALS + "/approve", ctx -> answer(ctx, true));
    server.post(APPROVALS + "/reject", ctx -> answer(ctx, false));
    server.post("/api/v1/budgets/{predicate}/renew", this::renew);
  }

  private static void describe(Context ctx) throws IOException {
    try (InputStream text = RollbackRoutes.class.getResourceAsStream("openapi.yaml")) {
      ctx.contentType("application/yaml").result(Objects.requireNonNull(text).readAllBytes());
    }
  }

  /** The writes themselves are read from the nodes: they are bulk. */
  private void discarded(Context ctx) throws RefusedException {
    Rollback rollback = known(ctx);
    Discarded discarded = backend.discarded(rollback.epoch());
    if (rollback.state() != Rollback.State.RESUMED || discarded == null) {
      throw new RefusedException(
          "rollback %d discarded nothing that is known".formatted(rollback.epoch()));
    }
    ctx.json(DiscardedView.of(rollback, discarded));
  }

  private void cancel(Context ctx) throws RefusedException {
    Rollback rollback = known(ctx);
    backend.cancelRollback(rollback.epoch());
    ctx.status(202)
        .json(view(Objects.requireNonNullElse(backend.rollback(rollback.epoch()), rollback)));
  }

  private void answer(Context ctx, boolean approve) throws RefusedException {
    String id = ctx.pathParam("id");
    if (!id.matches("[0-9]{1,18}")) {
      throw new RefusedException("no rollback '%s' waits for approval".formatted(id));
    }
    backend.answerRequest(Long.parseLong(id), approve);
    ctx.status(202);
  }

  private void renew(Context ctx) throws RefusedException {
    backend.renewBudget(ctx.pathParam("predicate"));
    ctx.status(202);
  }

  private Wish wish(Context ctx) {
    Wanted wanted = wanted(ctx.body());
    long named =
        Stream.of(wanted.to(), wanted.violation(), wanted.undo()).filter(Objects::nonNull).count();
    if (named != 1) {
      throw new BadRequestResponse("a rollback goes to one of 'to', 'violation' and 'undo'");
    }
    String name = wanted.request();
    String request = name == null || name.isBlank() ? UUID.randomUUID().toString() : name;
    String to = wanted.to();
    Long undo = wanted.undo();
    if (to != null) {
      return Wish.to(request, time(to));
    }
    return undo != null
        ? Wish.undoing(request, undo)
        : before(request, String.valueOf(wanted.violation()));
  }

  private Wish before(String request, String id) {
    ReceivedViolation found = backend.violation(id);
    if (found == null) {
      throw new BadRequestResponse(
          "there is no violation '" + id + "' among those that are remembered");
    }
    return new Wish(
        request,
        found.violation().getViolate() - 1,
        List.of(id),
        found.violation().getPredicate(),
        0);
  }

  private static long time(String text) {
    try {
      return PointInTime.parse(text, ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
    } catch (IllegalArgumentException e) {
      throw new BadRequestResponse(String.valueOf(e.getMessage()));
    }
  }

  private static Wanted wanted(String body) {
    try {
      return JSON.readValue(body.isBlank() ? "{}" : body, Wanted.class);
    } catch (UnrecognizedPropertyException e) {
      throw new BadRequestResponse(
          "a rollback has no '%s', only %s"
              .formatted(e.getPropertyName(), e.getKnownPropertyIds()));
    } catch (JsonProcessingException e) {
      throw new BadRequestResponse("what is wanted must be JSON: " + e.getOriginalMessage());
    }
  }

  private Rollback known(Context ctx) {
    String id = ctx.pathParam("id");
    Rollback rollback = id.matches("[0-9]{1,18}") ? backend.rollback(Long.parseLong(id)) : null;
    if (rollback == null) {
      ctx.status(404).json(new Views.Failure("there is no rollback '" + id + "'"));
      throw new NotFoundResponse();
    }
    return rollback;
  }

  private OneRollbackView view(Rollback rollback) {
    RollbackProgress progress = backend.progress(rollback.epoch());
    return OneRollbackView.of(rollback, progress);
  }
}
