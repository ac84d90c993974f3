package io.palinode.orchestrator.rest;

import io.javalin.config.RoutesConfig;
import io.javalin.http.BadRequestResponse;
import io.javalin.http.Context;
import io.palinode.hvc.PointInTime;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.rest.access.Role;
import io.palinode.orchestrator.rest.problem.ProblemCode;
import io.palinode.orchestrator.rest.problem.ProblemException;
import io.palinode.orchestrator.snapshot.Schedule;
import io.palinode.orchestrator.snapshot.Snapshot;
import io.palinode.orchestrator.snapshot.SnapshotRequest;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** The routes of the API for snapshots. */
final class SnapshotRoutes {
  private static final String SNAPSHOTS = "/api/v1/snapshots";
  private static final String ONE = SNAPSHOTS + "/{id}";
  private static final String SCHEDULE = "/api/v1/snapshot-schedule";

  private final Backend backend;

  SnapshotRoutes(Backend backend) {
    this.backend = backend;
  }

  /** The body of a request; all fields are optional. */
  record Wanted(
      @Nullable String name,
      @Nullable String at,
      @Nullable String base,
      boolean rolling,
      int atOnce) {}

  void addTo(RoutesConfig routes) {
    routes.get(
        SNAPSHOTS,
        ctx -> ctx.json(backend.snapshots().all().stream().map(this::view).toList()),
        Role.VIEWER);
    routes.post(SNAPSHOTS, this::take, Role.OPERATOR);
    routes.get(ONE, ctx -> ctx.json(view(known(ctx))), Role.VIEWER);
    routes.post(ONE + "/cancel", this::cancel, Role.OPERATOR);
    routes.delete(ONE, this::delete, Role.ADMIN);
    routes.get(
        SCHEDULE, ctx -> ctx.json(ScheduleView.of(backend.snapshots().schedule())), Role.VIEWER);
    routes.put(SCHEDULE, this::schedule, Role.OPERATOR);
    routes.delete(
        SCHEDULE,
        ctx -> {
          backend.snapshots().schedule(Schedule.OFF);
          ctx.status(204);
        },
        Role.ADMIN);
  }

  private void take(Context ctx) throws RefusedException {
    Wanted wanted = JsonBody.read(RequestGuard.body(ctx), Wanted.class, "a snapshot");
    try {
      String at = wanted.at();
      Long hlc =
          at == null
              ? null
              : PointInTime.parse(at, ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
      SnapshotRequest request =
          new SnapshotRequest(wanted.name(), hlc, wanted.base(), wanted.rolling(), wanted.atOnce());
      ctx.status(202).json(view(backend.snapshots().take(request)));
    } catch (IllegalArgumentException e) {
      throw new BadRequestResponse(String.valueOf(e.getMessage()));
    }
  }

  private void schedule(Context ctx) throws RefusedException {
    try {
      Schedule wanted =
          JsonBody.read(RequestGuard.body(ctx), ScheduleView.class, "a schedule").toSchedule();
      backend.snapshots().schedule(wanted);
      ctx.status(202).json(ScheduleView.of(wanted));
    } catch (IllegalArgumentException e) {
      throw new BadRequestResponse(String.valueOf(e.getMessage()));
    }
  }

  private void cancel(Context ctx) throws RefusedException {
    Snapshot snapshot = known(ctx);
    backend.snapshots().cancel(snapshot.id());
    ctx.status(202).json(view(snapshot));
  }

  private void delete(Context ctx) throws RefusedException {
    backend.snapshots().delete(known(ctx).id());
    ctx.status(204);
  }

  private Snapshot known(Context ctx) {
    Snapshot snapshot = backend.snapshots().get(ctx.pathParam("id"));
    if (snapshot == null) {
      throw new ProblemException(
          ProblemCode.NO_SUCH_SNAPSHOT, "there is no snapshot '" + ctx.pathParam("id") + "'");
    }
    return snapshot;
  }

  private SnapshotView view(Snapshot snapshot) {
    Snapshot roll = backend.snapshots().roll(snapshot.id());
    return SnapshotView.of(snapshot, roll == null ? null : SnapshotView.of(roll, null));
  }
}
