package io.palinode.orchestrator.rest;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.request.Effect;
import io.palinode.orchestrator.request.PlannedRollback;
import io.palinode.wire.v1.EffectReported;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The JSON of a rollback's effect.
 *
 * @param plan its name, to run it
 * @param scope {@code affected} if only consequences of {@code firstWrites} would be undone; else
 *     {@code all}
 * @param whyAll why all writes would be undone although only some were asked for; null: as asked
 * @param snapshot the snapshot to restore, whose cut is the target; null: none
 * @param beforeSafePoint the target breaks the promise of the safe point
 * @param unknown why the amounts are not known, which are null then; null: they are known
 * @param writes that would be discarded, each once
 * @param keys that would get another value, each once
 * @param bytes of the values that these writes replaced, on all nodes
 * @param clients the writers, as far as they are named; of scope {@code affected} also the readers
 * @param clientsKnownSince some node knows writers only from this time; null: all are known
 * @param expectedPauseMs null for a snapshot: it depends on the size of the store
 * @param before the effect as first shown; null: this is the first, or it was not known
 */
public record EffectView(
    String plan,
    String scope,
    @Nullable String whyAll,
    int firstWrites,
    @Nullable String snapshot,
    String target,
    String time,
    String safePoint,
    boolean beforeSafePoint,
    @Nullable String unknown,
    @Nullable Long writes,
    @Nullable Long keys,
    @Nullable Long bytes,
    List<String> clients,
    @Nullable Integer clientsTotal,
    @Nullable String clientsKnownSince,
    @Nullable Double expectedPauseMs,
    @Nullable Size before,
    List<NodeView> nodes) {
  private static final double MICROS_PER_MS = 1_000.0;

  /** The answer of one node, with copies. */
  public record NodeView(int node, String reach, String now, long writes, long keys, long bytes) {
    static NodeView of(EffectReported report) {
      return new NodeView(
          report.getNode(),
          Hlc.format(report.getReach()),
          Hlc.format(report.getNow()),
          report.getWrites(),
          report.getKeys(),
          report.getBytes());
    }
  }

  /** The amount that would be undone. */
  public record Size(long writes, long keys, long bytes, int clientsTotal) {
    static @Nullable Size of(@Nullable Effect effect) {
      if (effect == null || effect.unknown() != null) {
        return null;
      }
      return new Size(effect.writes(), effect.keys(), effect.bytes(), effect.clientsTotal());
    }
  }

  /** The amount that would be undone; null: not known. */
  public @Nullable Size size() {
    return writes == null || keys == null || bytes == null || clientsTotal == null
        ? null
        : new Size(writes, keys, bytes, clientsTotal);
  }

  static EffectView of(PlannedRollback planned) {
    Effect effect = planned.effect();
    Size now = Size.of(effect);
    String snapshot = planned.request().snapshot();
    long since =
        effect.reports().stream().mapToLong(EffectReported::getClientsSince).max().orElse(0);
    return new EffectView(
        planned.id(),
        effect.isOfSome() ? "affected" : "all",
        effect.whyAll().isEmpty() ? null : effect.whyAll(),
        effect.witnesses().size(),
        snapshot,
        Hlc.format(effect.target()),
        Instant.EPOCH.plus(Hlc.micros(effect.target()), ChronoUnit.MICROS).toString(),
        Hlc.format(effect.safePoint()),
        effect.isBeforeSafePoint(),
        effect.unknown(),
        now == null ? null : now.writes(),
        now == null ? null : now.keys(),
        now == null ? null : now.bytes(),
        now == null ? List.of() : List.copyOf(effect.clients()),
        now == null ? null : now.clientsTotal(),
        since <= effect.target() ? null : Hlc.format(since),
        snapshot == null ? effect.pauseMicros() / MICROS_PER_MS : null,
        Size.of(planned.before()),
        effect.reports().stream().map(NodeView::of).toList());
  }
}
