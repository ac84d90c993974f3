package io.palinode.orchestrator.rest;

import com.google.protobuf.ByteString;
import io.javalin.config.RoutesConfig;
import io.javalin.http.BadRequestResponse;
import io.javalin.http.Context;
import io.palinode.hvc.PointInTime;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.orchestrator.history.Discarded;
import io.palinode.orchestrator.history.RollbackProgress;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.policy.AppliedPredicate;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.request.PlannedRollback;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.request.RequestName;
import io.palinode.orchestrator.request.RollbackRequest;
import io.palinode.orchestrator.request.Seeds;
import io.palinode.orchestrator.rest.access.Access;
import io.palinode.orchestrator.rest.access.AuditLog;
import io.palinode.orchestrator.rest.access.Role;
import io.palinode.orchestrator.rest.past.DiscardedView;
import io.palinode.orchestrator.rest.past.RollbackSpan;
import io.palinode.orchestrator.rest.problem.ProblemCode;
import io.palinode.orchestrator.rest.problem.ProblemException;
import io.palinode.predicate.PredicateLimits;
import io.palinode.predicate.form.Predicates;
import io.palinode.wire.v1.Moment;
import io.palinode.wire.v1.StoreKey;
import io.palinode.wire.v1.Violation;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The routes of the API for operators' rollbacks and for one rollback. */
final class RollbackRoutes {
  private static final String ROLLBACKS = "/api/v1/rollbacks";
  private static final String ONE = ROLLBACKS + "/{id}";
  static final String ABANDON = ONE + "/abandon";
  private static final String APPROVALS = "/api/v1/approvals/{id}";
  private static final String AFFECTED = "affected";

  private final Backend backend;

  RollbackRoutes(Backend backend) {
    this.backend = backend;
  }

  /** The body of a request: one of the first five. */
  record Wanted(
      @Nullable String to,
      @Nullable String violation,
      @Nullable String snapshot,
      @Nullable Long undo,
      @Nullable String plan,
      @Nullable String scope,
      List<WantedKey> keys,
      @Nullable String request,
      @Nullable Boolean compareAll) {
    Wanted {
      keys = keys == null ? List.of() : List.copyOf(keys);
    }

    /** The number of fields that name the state to restore. */
    long goals() {
      return Stream.of(to, violation, snapshot, undo, plan).filter(Objects::nonNull).count();
    }

    boolean isOfSome() {
      return AFFECTED.equals(scope);
    }

    boolean comparesAll() {
      return compareAll != null && compareAll;
    }

    /** With the name that the header {@code Idempotency-Key} gives, if any. */
    Wanted named(@Nullable String key) {
      if (key == null) {
        return this;
      }
      String name = key.strip().replaceFirst("^\"(.*)\"$", "$1");
      if (request != null && !request.equals(name)) {
        throw new BadRequestResponse(
            "the header Idempotency-Key and the field 'request' must name one request: '%s', '%s'"
                .formatted(name, request));
      }
      return new Wanted(to, violation, snapshot, undo, plan, scope, keys, name, compareAll);
    }
  }

  /** A key whose first write after the target is to be undone. */
  record WantedKey(@Nullable String store, @Nullable String key) {
    StoreKey toProto() {
      if (store == null || key == null) {
        throw new BadRequestResponse("each of 'keys' has a 'store' and a 'key'");
      }
      return StoreKey.newBuilder().setStore(store).setKey(ByteString.copyFromUtf8(key)).build();
    }
  }

  void addTo(RoutesConfig routes, RequestGuard guard) {
    routes.get("/api/v1/openapi.yaml", RollbackRoutes::describe, Role.ANYONE);
    routes.get(ONE, ctx -> ctx.json(view(known(ctx))), Role.VIEWER);
    routes.get(ONE + "/discarded", this::discarded, Role.VIEWER);
    routes.post(ROLLBACKS, this::rollBack, Role.OPERATOR);
    routes.post(
        ROLLBACKS + "/plan",
        guard.bounded(ctx -> ctx.json(EffectView.of(plan(wanted(RequestGuard.body(ctx)))))),
        Role.VIEWER);
    routes.post(ONE + "/cancel", this::cancel, Role.OPERATOR);
    routes.post(ONE + "/retry", ctx -> intervene(ctx, Intervention.RETRY), Role.OPERATOR);
    routes.post(ABANDON, this::abandon, Role.OPERATOR);
    routes.post(APPROVALS + "/approve", ctx -> answer(ctx, true), Role.OPERATOR);
    routes.post(APPROVALS + "/reject", ctx -> answer(ctx, false), Role.OPERATOR);
    routes.post("/api/v1/budgets/{predicate}/renew", this::renew, Role.ADMIN);
  }

  private static void describe(Context ctx) throws IOException {
    try (InputStream text = RollbackRoutes.class.getResourceAsStream("openapi.yaml")) {
      ctx.contentType("application/yaml").result(Objects.requireNonNull(text).readAllBytes());
    }
  }

  /** Returns the spans only; the writes are read from the nodes. */
  private void discarded(Context ctx) throws RefusedException {
    Rollback rollback = known(ctx);
    DiscardedView discarded = discarded(backend, rollback);
    if (discarded == null) {
      throw new RefusedException(
          "no discarded writes of rollback %d are known".formatted(rollback.epoch()));
    }
    ctx.json(discarded);
  }

  private static @Nullable DiscardedView discarded(Backend backend, Rollback rollback) {
    Discarded discarded = backend.history().discarded(rollback.epoch());
    return rollback.state() != Rollback.State.RESUMED || discarded == null
        ? null
        : DiscardedView.of(rollback, discarded);
  }

  /** What the remembered rollbacks discarded after {@code fromHlc}. */
  static List<RollbackSpan> spans(Backend backend, long fromHlc) {
    return backend.rollbacks(Listing.LIMIT_MAX).stream()
        .map(
            rollback ->
                RollbackSpan.of(
                    rollback.epoch(),
                    rollback.isEnded() ? rollback.endedMicros() : null,
                    fromHlc,
                    () -> discarded(backend, rollback)))
        .toList();
  }

  private void cancel(Context ctx) throws RefusedException {
    Rollback rollback = known(ctx);
    backend.operator().cancel(rollback.epoch(), Access.userName(ctx));
    ctx.status(202)
        .json(view(Objects.requireNonNullElse(backend.rollback(rollback.epoch()), rollback)));
  }

  private void intervene(Context ctx, Intervention intervention) throws RefusedException {
    Rollback rollback = known(ctx);
    backend.operator().intervene(rollback.epoch(), intervention, Access.userName(ctx));
    ctx.status(202).json(Views.RollbackView.of(rollback));
  }

  private void abandon(Context ctx) throws RefusedException {
    if (!Boolean.parseBoolean(ctx.queryParam("asIs"))) {
      intervene(ctx, Intervention.ABANDON);
      return;
    }
    Rollback rollback = known(ctx);
    backend.operator().endAsIs(rollback.epoch(), stopped(ctx), Access.userName(ctx));
    ctx.status(202).json(Views.RollbackView.of(rollback));
  }

  /** A list such as {@code 0,2}; absent or empty: all nodes run. */
  private static Set<Integer> stopped(Context ctx) {
    Set<Integer> nodes = new TreeSet<>();
    String text = Objects.requireNonNullElse(ctx.queryParam("stopped"), "");
    for (String node : text.isBlank() ? new String[0] : text.split(",", -1)) {
      if (!node.strip().matches("[0-9]{1,4}")) {
        throw new BadRequestResponse("stopped must be node numbers such as 0,2: stopped=" + text);
      }
      nodes.add(Integer.parseInt(node.strip()));
    }
    return nodes;
  }

  private void answer(Context ctx, boolean approve) throws RefusedException {
    String id = ctx.pathParam("id");
    if (!id.matches("[0-9]{1,18}")) {
      throw new RefusedException("no rollback '%s' waits for approval".formatted(id));
    }
    backend.operator().answer(Long.parseLong(id), approve, Access.userName(ctx));
    ctx.status(202);
  }

  private void renew(Context ctx) throws RefusedException {
    backend.operator().renew(ctx.pathParam("predicate"), Access.userName(ctx));
    ctx.status(202);
  }

  private void rollBack(Context ctx) throws RefusedException {
    Wanted wanted = wanted(RequestGuard.body(ctx)).named(ctx.header("Idempotency-Key"));
    RollbackRequest request = requested(wanted);
    Rollback opened = backend.operator().run(request, Access.userName(ctx));
    AuditLog.made(ctx, "rollback " + opened.epoch());
    ctx.status(202).json(view(opened));
  }

  private RollbackRequest requested(Wanted wanted) throws RefusedException {
    if (wanted.comparesAll()) {
      return comparison(wanted);
    }
    String plan = planOf(wanted);
    return plan == null ? request(wanted) : backend.operator().planned(plan).request();
  }

  private static RollbackRequest comparison(Wanted wanted) {
    if (wanted.goals() > 0 || wanted.scope() != null || !wanted.keys().isEmpty()) {
      throw new BadRequestResponse("a comparison of all keys undoes nothing: name no target");
    }
    return RollbackRequest.comparing(named(wanted));
  }

  private static String named(Wanted wanted) {
    String name = wanted.request();
    if (name == null || name.isBlank()) {
      return UUID.randomUUID().toString();
    }
    return valid(() -> RequestName.require(name));
  }

  /** Returns the result of {@code make}; an illegal value is a bad request. */
  private static <T> T valid(Supplier<T> make) {
    try {
      return make.get();
    } catch (IllegalArgumentException e) {
      throw new BadRequestResponse(String.valueOf(e.getMessage()));
    }
  }

  private PlannedRollback plan(Wanted wanted) throws RefusedException {
    String plan = planOf(wanted);
    return plan == null
        ? backend.operator().plan(request(wanted))
        : backend.operator().plannedNow(plan);
  }

  /** The plan that the request names, checked to be its only field; null: none. */
  private static @Nullable String planOf(Wanted wanted) {
    if (wanted.goals() != 1) {
      throw new BadRequestResponse(
          "a rollback goes to one of 'to', 'violation', 'snapshot' and 'undo', or does a 'plan'");
    }
    String scope = wanted.scope();
    if (scope != null && !scope.equals(AFFECTED) && !scope.equals("all")) {
      throw new BadRequestResponse(
          "a rollback's 'scope' is 'all' or 'affected': '%s'".formatted(scope));
    }
    boolean isFixed = wanted.plan() != null || wanted.undo() != null;
    if (isFixed && scope != null) {
      throw new BadRequestResponse("a 'plan' has its scope already, and an 'undo' is of all");
    }
    if (wanted.snapshot() != null && (wanted.isOfSome() || !wanted.keys().isEmpty())) {
      throw new BadRequestResponse(
          "snapshot '%s' is restored whole: only a time or a violation goes with scope 'affected' and keys"
              .formatted(wanted.snapshot()));
    }
    if (!wanted.isOfSome() && !wanted.keys().isEmpty()) {
      throw new BadRequestResponse("'keys' name what scope 'affected' begins with");
    }
    return wanted.plan();
  }

  private RollbackRequest request(Wanted wanted) throws RefusedException {
    String request = named(wanted);
    String to = wanted.to();
    Long undo = wanted.undo();
    if (to != null) {
      return ofSome(RollbackRequest.to(request, time(to)), wanted, Set.of());
    }
    if (undo != null) {
      return RollbackRequest.undoing(request, undo);
    }
    String snapshot = wanted.snapshot();
    if (snapshot != null) {
      return valid(() -> RollbackRequest.toSnapshot(request, snapshot));
    }
    Violation violation = violation(String.valueOf(wanted.violation()));
    RollbackRequest rollback = RollbackRequest.before(request, violation, heldSince(violation));
    return ofSome(rollback, wanted, rollback.witnesses(violation));
  }

  /** By the predicate in force. */
  private long heldSince(Violation violation) {
    AppliedPredicate applied = backend.predicate(violation.getPredicate());
    return applied == null
        ? violation.getViolate()
        : Policy.of(
                Predicates.parse(applied.yaml(), applied.name(), PredicateLimits.CEILING),
                applied.version())
            .heldSince(violation);
  }

  private static RollbackRequest ofSome(
      RollbackRequest request, Wanted wanted, Set<Moment> witnesses) throws RefusedException {
    if (!wanted.isOfSome()) {
      return request;
    }
    if (witnesses.isEmpty() && wanted.keys().isEmpty()) {
      throw new RefusedException(
          "scope 'affected' undoes the consequences of some writes, and a time names no write: name"
              + " a violation instead, for its witnesses, or keys, for the first write to each"
              + " after the time");
    }
    if (wanted.keys().size() > Seeds.KEYS_MAX) {
      throw new BadRequestResponse("at most %d keys can be named".formatted(Seeds.KEYS_MAX));
    }
    return valid(
        () ->
            request.undoingOnly(
                witnesses, wanted.keys().stream().map(WantedKey::toProto).toList()));
  }

  private Violation violation(String id) {
    ReceivedViolation found = backend.violation(id);
    if (found == null) {
      throw new BadRequestResponse(
          "there is no violation '" + id + "' among those that are remembered");
    }
    return found.violation();
  }

  static long time(String text) {
    try {
      return PointInTime.parse(text, ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
    } catch (IllegalArgumentException e) {
      throw new BadRequestResponse(String.valueOf(e.getMessage()));
    }
  }

  private static Wanted wanted(String body) {
    return JsonBody.read(body, Wanted.class, "a rollback");
  }

  private Rollback known(Context ctx) {
    String id = ctx.pathParam("id");
    Rollback rollback = id.matches("[0-9]{1,18}") ? backend.rollback(Long.parseLong(id)) : null;
    if (rollback == null) {
      throw new ProblemException(ProblemCode.NO_SUCH_ROLLBACK, "there is no rollback '" + id + "'");
    }
    return rollback;
  }

  private OneRollbackView view(Rollback rollback) {
    RollbackProgress progress = backend.history().progress(rollback.epoch());
    return OneRollbackView.of(rollback, progress, undoneBy(rollback.epoch()));
  }

  /** The remembered rollback that reinstated what the one of {@code epoch} discarded. */
  private @Nullable Long undoneBy(long epoch) {
    return backend.rollbacks(Listing.LIMIT_MAX).stream()
        .filter(later -> later.undoes() == epoch && later.state() == Rollback.State.RESUMED)
        .map(Rollback::epoch)
        .findFirst()
        .orElse(null);
  }
}
