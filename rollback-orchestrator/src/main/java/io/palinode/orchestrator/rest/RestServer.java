package io.palinode.orchestrator.rest;

import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.config.RoutesConfig;
import io.javalin.http.BadRequestResponse;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.javalin.http.HandlerType;
import io.javalin.http.HttpResponseException;
import io.javalin.router.Endpoint;
import io.javalin.security.Roles;
import io.javalin.security.RouteRole;
import io.javalin.util.JavalinBindException;
import io.javalin.util.JavalinException;
import io.palinode.console.Console;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.Event;
import io.palinode.orchestrator.Status;
import io.palinode.orchestrator.health.Judgement;
import io.palinode.orchestrator.health.NodeState;
import io.palinode.orchestrator.health.Wait;
import io.palinode.orchestrator.policy.AppliedPredicate;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.rest.access.Access;
import io.palinode.orchestrator.rest.access.AuditLog;
import io.palinode.orchestrator.rest.access.Role;
import io.palinode.orchestrator.rest.events.EventStreams;
import io.palinode.orchestrator.rest.past.PastRoutes;
import io.palinode.orchestrator.rest.predicate.PredicateView;
import io.palinode.orchestrator.rest.problem.Problem;
import io.palinode.orchestrator.rest.problem.ProblemCode;
import io.palinode.orchestrator.rest.problem.ProblemException;
import io.palinode.predicate.text.PredicateException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves the API of this package over a {@link Backend}. */
public final class RestServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RestServer.class);
  private static final String PREDICATES = "/api/v1/predicates";
  private static final String ROLLBACKS = "/api/v1/rollbacks";
  private static final String ACKNOWLEDGE = "/api/v1/coverage/acknowledge";

  /** The query parameters of the requests that have some. */
  private static final Map<String, Set<String>> PARAMETERS =
      Map.of(
          "GET " + ROLLBACKS,
          Listing.ROLLBACKS,
          "POST " + RollbackRoutes.ABANDON,
          Set.of("asIs", "stopped"),
          "POST " + ACKNOWLEDGE,
          Set.of("to"));

  private static final String NAME = "name";
  private static final String API = "/api/v1/";
  private static final Set<String> KNOWN_DURING_REPLAY =
      Set.of(API + "status", API + "me", API + "openapi.yaml");

  private final RestSettings settings;
  private final Backend backend;
  private final Access access;
  private final Javalin server;
  private final EventStreams events;

  public RestServer(RestSettings settings, Backend backend) {
    this.settings = settings;
    this.backend = backend;
    this.events = new EventStreams(backend.history().changes(), this::look, Views::event);
    this.access = new Access(settings.access());
    this.server = Javalin.create(this::configure);
  }

  /** Throws {@link ListenException} that names the address, as when the port is taken. */
  public void start() {
    try {
      server.start(settings.host(), settings.port());
    } catch (JavalinBindException e) {
      throw new ListenException(
          cannotListen() + ", the port is taken or not allowed; 0 is any free one", e);
    } catch (JavalinException e) {
      throw new ListenException(cannotListen() + ": " + e.getMessage(), e);
    }
    events.start();
  }

  private String cannotListen() {
    return "the API cannot listen on " + settings.host() + ":" + settings.port();
  }

  /** Such as {@code http://host:port}, of a server that is started. */
  public String url() {
    String host = settings.host();
    return access.scheme()
        + "://"
        + (host.contains(":") ? "[" + host + "]" : host)
        + ":"
        + server.port();
  }

  /** The method and path of each route but HEAD, such as {@code GET /healthz}, with its role. */
  Map<String, Set<RouteRole>> routes() {
    return server.unsafe.internalRouter.allHttpHandlers().stream()
        .map(parsed -> parsed.endpoint)
        .filter(endpoint -> endpoint.method.isHttpMethod())
        .filter(endpoint -> !endpoint.method.equals(HandlerType.HEAD))
        .collect(
            Collectors.toMap(
                endpoint -> endpoint.method + " " + endpoint.path,
                endpoint -> endpoint.metadata(Roles.class).getRoles()));
  }

  @Override
  public void close() {
    events.close();
    server.stop();
    access.close();
  }

  private void configure(JavalinConfig config) {
    access.configure(config, settings.host(), settings.port());
    config.startup.showJavalinBanner = false;
    config.startup.startupWatcherEnabled = false;
    config.http.maxRequestSize = RequestGuard.BODY_BYTES_MAX;
    config.http.prefer405over404 = true;
    Console.addTo(config);
    RequestGuard guard = new RequestGuard(settings);
    addChecks(config.routes, guard);
    addRoutes(config.routes, guard);
    addErrors(config.routes);
  }

  private void addChecks(RoutesConfig routes, RequestGuard guard) {
    routes.before(guard::checkSite);
    routes.beforeMatched(this::checkUser);
    routes.beforeMatched(guard::checkBody);
    routes.beforeMatched(RestServer::requireKnownParameters);
    routes.beforeMatched(this::requireReplayed);
    routes.after(new AuditLog(backend::audit, System::nanoTime)::write);
  }

  private void addRoutes(RoutesConfig routes, RequestGuard guard) {
    routes.get(
        PREDICATES,
        ctx -> ctx.json(views(backend.predicates(), known -> view(ctx, known))),
        Role.VIEWER);
    routes.post(PREDICATES + "/check", this::checkPredicates, Role.VIEWER);
    routes.get(PREDICATES + "/{name}", this::predicate, Role.VIEWER);
    routes.put(PREDICATES, this::applyAll, Role.EDITOR);
    routes.put(PREDICATES + "/{name}", this::applyOne, Role.EDITOR);
    routes.delete(PREDICATES + "/{name}", this::delete, Role.EDITOR);
    new ViolationRoutes(backend).addTo(routes);
    routes.get(
        ROLLBACKS,
        ctx ->
            ctx.json(
                views(
                    new Listing(ctx).rollbacks(backend.rollbacks(Listing.LIMIT_MAX)),
                    Views.RollbackView::of)),
        Role.VIEWER);
    new RollbackRoutes(backend).addTo(routes, guard);
    new SnapshotRoutes(backend).addTo(routes);
    new PastRoutes(settings.past(), from -> RollbackRoutes.spans(backend, from))
        .addTo(routes, guard::bounded);
    routes.get("/api/v1/nodes", ctx -> ctx.json(views(nodes(), Views.NodeView::of)), Role.VIEWER);
    routes.get("/api/v1/status", ctx -> ctx.json(status()), Role.VIEWER);
    routes.get("/api/v1/doctor", guard.bounded(this::doctor), Role.VIEWER);
    routes.get("/api/v1/events", this::openEvents, Role.VIEWER);
    routes.post(ACKNOWLEDGE, this::acknowledgeCoverage, Role.OPERATOR);
    routes.post("/api/v1/alerts/test", this::testAlerts, Role.EDITOR);
    routes.get("/api/v1/me", ctx -> ctx.json(Access.userView(ctx)), Role.VIEWER);
    routes.get("/metrics", this::metrics, Role.VIEWER);
    addProbe(routes, "/healthz", this::health);
    addProbe(routes, "/livez", ctx -> ctx.json(new Views.Probe("up")));
    addProbe(routes, "/readyz", this::ready);
  }

  /** Load balancers also ask by HEAD, which Javalin would answer with 200. */
  private static void addProbe(RoutesConfig routes, String path, Handler probe) {
    routes.get(path, probe, Role.ANYONE);
    routes.head(path, probe, Role.ANYONE);
  }

  private void checkUser(Context ctx) {
    if (!Console.hasPath(ctx.path())) {
      access.check(ctx);
    }
  }

  /** Refuses a parameter that the request would ignore. */
  private static void requireKnownParameters(Context ctx) {
    Endpoint route = ctx.endpoints().matchedHttpEndpoint();
    String name = route == null ? "" : ctx.method() + " " + route.path;
    Set<String> known =
        Stream.of(PARAMETERS, ViolationRoutes.PARAMETERS, PastRoutes.PARAMETERS)
            .flatMap(ofRoutes -> ofRoutes.getOrDefault(name, Set.of()).stream())
            .collect(Collectors.toSet());
    requireKnown(ctx, known);
  }

  /**
   * During a replay, lists lack what is not read yet, and an empty one would look like an answer.
   */
  private void requireReplayed(Context ctx) {
    if (ctx.path().startsWith(API)
        && !KNOWN_DURING_REPLAY.contains(ctx.path())
        && Status.REPLAYING.equals(backend.status().failure())) {
      throw new ProblemException(ProblemCode.NOT_READY, Status.REPLAYING);
    }
  }

  private static void requireKnown(Context ctx, Set<String> known) {
    for (String name : ctx.queryParamMap().keySet()) {
      if (!known.contains(name)) {
        throw new BadRequestResponse(
            "%s has no parameter '%s'; %s"
                .formatted(
                    ctx.path(),
                    name,
                    known.isEmpty()
                        ? "it has none"
                        : "it has " + String.join(", ", new TreeSet<>(known))));
      }
    }
  }

  private static void addErrors(RoutesConfig routes) {
    routes.exception(
        PredicateException.class,
        (e, ctx) -> Problem.write(ctx, ProblemCode.INVALID_PREDICATE, e.getMessage()));
    routes.exception(
        UnavailableException.class,
        (e, ctx) -> Problem.write(ctx, ProblemCode.UNAVAILABLE, e.getMessage()));
    routes.exception(
        RefusedException.class,
        (e, ctx) -> Problem.write(ctx, ProblemCode.REFUSED, e.getMessage()));
    routes.exception(
        ProblemException.class, (e, ctx) -> Problem.write(ctx, e.code(), e.getMessage()));
    routes.exception(
        HttpResponseException.class, (e, ctx) -> Problem.write(ctx, e.getStatus(), detail(e, ctx)));
    routes.exception(Exception.class, RestServer::failed);
  }

  /** Catches what no handler expects: a defect. */
  private static void failed(Exception e, Context ctx) {
    log.error("request=\"{} {}\" failed", ctx.method(), ctx.path(), e);
    Problem.write(ctx, ProblemCode.INTERNAL_ERROR, "the server has failed; its log says how");
  }

  /** Of a refusal of the server itself, which knows no sentence for a path or a method. */
  private static @Nullable String detail(HttpResponseException e, Context ctx) {
    return switch (e.getStatus()) {
      case 404 -> "there is nothing at " + ctx.path();
      case 405 -> ctx.method() + " is not possible at " + ctx.path();
      default -> e.getMessage();
    };
  }

  private void predicate(Context ctx) {
    AppliedPredicate known = backend.predicate(ctx.pathParam(NAME));
    if (known == null) {
      throw noSuchPredicate(ctx);
    }
    write(ctx, known);
  }

  private PredicateView view(Context ctx, AppliedPredicate predicate) {
    PredicateView view = PredicateView.of(predicate, backend.history().watched());
    return Access.may(ctx, Role.EDITOR) ? view : view.withoutSecrets();
  }

  private void checkPredicates(Context ctx) {
    ctx.json(backend.check(RequestGuard.body(ctx), "request"));
  }

  private void applyAll(Context ctx) {
    ctx.json(views(backend.apply(RequestGuard.body(ctx), "request"), known -> view(ctx, known)));
  }

  private void applyOne(Context ctx) {
    write(
        ctx,
        backend.applyOne(
            RequestGuard.body(ctx), ctx.pathParam(NAME), present -> requireMatch(ctx, present)));
  }

  private void delete(Context ctx) {
    if (!backend.delete(ctx.pathParam(NAME), present -> requireMatch(ctx, present))) {
      throw noSuchPredicate(ctx);
    }
    ctx.status(204);
  }

  private void write(Context ctx, AppliedPredicate predicate) {
    ctx.header("ETag", tag(predicate)).json(view(ctx, predicate));
  }

  /** Refuses a change if the request's {@code If-Match} does not name the version in force. */
  private static void requireMatch(Context ctx, @Nullable AppliedPredicate present) {
    String wanted = ctx.header("If-Match");
    if (wanted == null) {
      return;
    }
    List<String> tags = Arrays.stream(wanted.split(",", -1)).map(String::strip).toList();
    if (present == null || !(tags.contains("*") || tags.contains(tag(present)))) {
      throw new ProblemException(
          ProblemCode.VERSION_CHANGED,
          "cannot change predicate '%s': %s, and If-Match is %s; read it again"
              .formatted(
                  ctx.pathParam(NAME),
                  present == null ? "it is not in force" : "its ETag is " + tag(present),
                  wanted));
    }
  }

  private static String tag(AppliedPredicate predicate) {
    return '"' + Long.toString(predicate.version()) + '"';
  }

  private Views.StatusView status() {
    return Views.StatusView.of(
        backend.status(), backend.judgement(), backend.unjudged(), insecure());
  }

  /** What other machines may do without proof, at this API and at nodes; null: nothing. */
  private @Nullable String insecure() {
    String open =
        Stream.concat(
                Stream.ofNullable(settings.access().openTo("the API", settings.host())),
                backend.status().open().stream())
            .collect(Collectors.joining("; "));
    return open.isEmpty() ? null : open;
  }

  private void acknowledgeCoverage(Context ctx) {
    String to = ctx.queryParam("to");
    int number = to == null ? Integer.MAX_VALUE : parse(to);
    if (number < 0) {
      throw new BadRequestResponse("to must be the number of a coverage gap: to=" + to);
    }
    backend
        .operator()
        .acknowledge(to == null ? Event.CoverageAcknowledged.ALL : number, Access.userName(ctx));
    ctx.json(status());
  }

  private void doctor(Context ctx) {
    ctx.json(backend.doctor().stream().map(Views.FindingView::of).toList());
  }

  private void testAlerts(Context ctx) {
    AlertTest wanted = JsonBody.read(RequestGuard.body(ctx), AlertTest.class, "an alert test");
    try {
      ctx.json(backend.testAlerts(wanted.destination()));
    } catch (IllegalArgumentException refused) {
      throw new BadRequestResponse(refused.getMessage());
    }
  }

  /**
   * What an alert test asks for.
   *
   * @param destination null: all of the operators
   */
  record AlertTest(@Nullable String destination) {}

  private void metrics(Context ctx) {
    String text = backend.scrape();
    if (text == null) {
      throw new ProblemException(
          ProblemCode.NO_METRICS, "there are no Prometheus metrics in this process");
    }
    ctx.contentType("text/plain; version=0.0.4; charset=utf-8").result(text);
  }

  private void health(Context ctx) {
    Status status = backend.status();
    Judgement judgement = backend.judgement();
    Wait stopping =
        judgement.standing().filter(wait -> wait.reason().spoilsAll()).findFirst().orElse(null);
    requireWorking(status, ProblemCode.NOT_HEALTHY);
    if (stopping != null) {
      throw new ProblemException(
          ProblemCode.NOT_HEALTHY, stopping.what() + "; " + stopping.wayOut());
    }
    ctx.json(Views.Health.of(judgement));
  }

  private List<NodeState> nodes() {
    return NodeState.all(backend.nodes(), backend.status(), backend.judgement());
  }

  private EventStreams.Look look() {
    Status status = backend.status();
    return new EventStreams.Look(
        backend.judgement(),
        nodes(),
        new EventStreams.SafePoint(Hlc.format(status.safePoint()), Hlc.format(status.judged())));
  }

  /** Replayed records are changes too, so no stream opens during a replay. */
  private void openEvents(Context ctx) {
    String failure = backend.status().failure();
    if (failure != null) {
      throw new ProblemException(ProblemCode.NOT_READY, failure);
    }
    events.open(ctx);
  }

  private void ready(Context ctx) {
    requireWorking(backend.status(), ProblemCode.NOT_READY);
    ctx.json(new Views.Probe("ready"));
  }

  /** Throws the reason for which the orchestrator does not run or cannot append. */
  private static void requireWorking(Status status, ProblemCode code) {
    String reason = status.failure() == null ? status.trouble() : status.failure();
    if (reason != null) {
      throw new ProblemException(code, reason);
    }
  }

  static int parse(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException notANumber) {
      return -1;
    }
  }

  private static ProblemException noSuchPredicate(Context ctx) {
    return new ProblemException(
        ProblemCode.NO_SUCH_PREDICATE, "there is no predicate '" + ctx.pathParam(NAME) + "'");
  }

  private static <T, V> List<V> views(List<T> all, Function<T, V> view) {
    return all.stream().map(view).toList();
  }
}
