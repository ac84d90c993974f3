package io.palinode.orchestrator.rest;

import io.javalin.config.RoutesConfig;
import io.javalin.http.ContentType;
import io.javalin.http.Context;
import io.palinode.detection.shiviz.ShivizLog;
import io.palinode.detection.witness.PortableWitness;
import io.palinode.detection.witness.PortableWitness.HeldInterval;
import io.palinode.detection.witness.WitnessJson;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.orchestrator.history.Evidence;
import io.palinode.orchestrator.history.Neighbourhood;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.rest.access.Access;
import io.palinode.orchestrator.rest.access.Role;
import io.palinode.orchestrator.rest.predicate.PredicateView;
import io.palinode.orchestrator.rest.problem.ProblemCode;
import io.palinode.orchestrator.rest.problem.ProblemException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The routes of the API for violations. */
final class ViolationRoutes {
  private static final String VIOLATIONS = "/api/v1/violations";
  private static final String ONE = VIOLATIONS + "/{id}";
  private static final String SHIVIZ = ONE + "/shiviz";
  private static final String AROUND = "around";

  /** Whether a log has all intervals near its violation, as {@code complete} of a neighbourhood. */
  private static final String COMPLETE = "X-Complete";

  /** The query parameters by route. */
  static final Map<String, Set<String>> PARAMETERS =
      Map.of("GET " + VIOLATIONS, Listing.VIOLATIONS, "GET " + SHIVIZ, Set.of(AROUND));

  private final Backend backend;

  ViolationRoutes(Backend backend) {
    this.backend = backend;
  }

  void addTo(RoutesConfig routes) {
    routes.get(VIOLATIONS, this::list, Role.VIEWER);
    routes.get(ONE, ctx -> ctx.json(Views.ViolationView.of(known(ctx))), Role.VIEWER);
    routes.get(ONE + "/witness", this::witness, Role.VIEWER);
    routes.get(SHIVIZ, this::shiviz, Role.VIEWER);
    routes.get(
        ONE + "/neighbourhood",
        ctx -> ctx.json(Views.NeighbourhoodView.of(neighbourhood(ctx))),
        Role.VIEWER);
  }

  private void list(Context ctx) {
    List<ReceivedViolation> page =
        new Listing(ctx).violations(backend.violations(Listing.LIMIT_MAX));
    ctx.json(page.stream().map(Views.ViolationView::of).toList());
  }

  private void witness(Context ctx) throws RefusedException {
    PortableWitness witness = requireWitness(ctx);
    if (!Access.may(ctx, Role.EDITOR)) {
      witness = witness.withYaml(PredicateView.withoutSecrets(witness.subject().yaml()));
    }
    ctx.contentType(ContentType.APPLICATION_JSON).result(WitnessJson.write(witness));
  }

  private void shiviz(Context ctx) throws IOException, RefusedException {
    Boolean withOthers = Listing.flag(ctx, AROUND);
    PortableWitness witness = requireWitness(ctx);
    List<HeldInterval> around = List.of();
    if (Boolean.TRUE.equals(withOthers)) {
      Neighbourhood found = neighbourhood(ctx);
      around = found.nearest().stream().map(Evidence::shown).toList();
      ctx.header(COMPLETE, Boolean.toString(found.isComplete()));
    }
    StringBuilder log = new StringBuilder();
    ShivizLog.of(witness, around).write(log);
    ctx.contentType("text/plain; charset=utf-8").result(log.toString());
  }

  private Neighbourhood neighbourhood(Context ctx) {
    return backend.neighbourhood(known(ctx).violation());
  }

  private ReceivedViolation known(Context ctx) {
    ReceivedViolation found = backend.violation(ctx.pathParam("id"));
    if (found == null) {
      throw noSuchViolation(ctx);
    }
    return found;
  }

  private PortableWitness requireWitness(Context ctx) throws RefusedException {
    PortableWitness witness = backend.witness(ctx.pathParam("id"));
    if (witness == null) {
      throw noSuchViolation(ctx);
    }
    return witness;
  }

  private static ProblemException noSuchViolation(Context ctx) {
    return new ProblemException(
        ProblemCode.NO_SUCH_VIOLATION,
        "there is no violation '" + ctx.pathParam("id") + "' among those that are remembered");
  }
}
