package io.palinode.orchestrator.rest;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.request.Effect;
import io.palinode.orchestrator.request.PlannedRollback;
import io.palinode.wire.v1.EffectTold;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The JSON of what a rollback would do.
 *
 * @param plan names it, to have it done
 * @param scope {@code affected} when only what came of {@code firstWrites} would be undone; else
 *     {@code all}
 * @param whyAll why it is all, though less was asked for; null: it is as it was asked for
 * @param beforeSafePoint clients were told that the target would not be taken back
 * @param writes that would be lost, each once
 * @param keys that would get another value, each once
 * @param bytes of what these writes replaced, on all nodes
 * @param clients who wrote them, as far as they are named; of scope {@code affected} who wrote or
 *     saw what would be undone
 * @param clientsKnownSince some node knows of writers since then only; null: all are known
 * @param before what was told when it was planned; null: this is the first time
 */
record EffectView(
    String plan,
    String scope,
    @Nullable String whyAll,
    int firstWrites,
    String target,
    String time,
    String safePoint,
    boolean beforeSafePoint,
    long writes,
    long keys,
    long bytes,
    List<String> clients,
    int clientsTotal,
    @Nullable String clientsKnownSince,
    double expectedPauseMs,
    @Nullable Size before,
    List<NodeView> nodes) {
  private static final double MICROS_PER_MS = 1_000.0;

  /** What one node has, copies included. */
  record NodeView(int node, String reach, String now, long writes, long keys, long bytes) {
    static NodeView of(EffectTold told) {
      return new NodeView(
          told.getNode(),
          Hlc.format(told.getReach()),
          Hlc.format(told.getNow()),
          told.getWrites(),
          told.getKeys(),
          told.getBytes());
    }
  }

  /** How much would be undone. */
  record Size(long writes, long keys, long bytes, int clientsTotal) {
    static Size of(Effect effect) {
      return new Size(effect.writes(), effect.keys(), effect.bytes(), effect.clientsTotal());
    }
  }

  static EffectView of(PlannedRollback planned) {
    Effect effect = planned.effect();
    Effect before = planned.before();
    long since = effect.reports().stream().mapToLong(EffectTold::getClientsSince).max().orElse(0);
    return new EffectView(
        planned.id(),
        effect.isOfSome() ? "affected" : "all",
        effect.whyAll().isEmpty() ? null : effect.whyAll(),
        effect.witnesses().size(),
        Hlc.format(effect.target()),
        Instant.EPOCH.plus(Hlc.micros(effect.target()), ChronoUnit.MICROS).toString(),
        Hlc.format(effect.safePoint()),
        effect.isBeforeSafePoint(),
        effect.writes(),
        effect.keys(),
        effect.bytes(),
        List.copyOf(effect.clients()),
        effect.clientsTotal(),
        since <= effect.target() ? null : Hlc.format(since),
        effect.pauseMicros() / MICROS_PER_MS,
        before == null ? null : Size.of(before),
        effect.reports().stream().map(NodeView::of).toList());
  }
}
