package io.palinode.voldemort.client.session;

import io.palinode.voldemort.protocol.Pb0;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a client knows of epochs, and how that changes with what nodes answer. Pure.
 *
 * @param epoch the epoch that requests are sent in; {@link #UNKNOWN} before the first response
 * @param doubt set from the first sign of a newer epoch until a node serves it and names its
 *     target; calls wait meanwhile, since a target may still move back
 * @param rollbacks the latest ones, oldest first
 * @param sequential the sequential keys of the epoch, from its start or from the first response
 * @param standsSince no rollback since this epoch has undone anything that this client did: calls
 *     of these epochs continue
 */
public record EpochView(
    long epoch,
    @Nullable Doubt doubt,
    List<RolledBack> rollbacks,
    SequentialKeys sequential,
    long standsSince) {
  public static final long UNKNOWN = -1;
  public static final EpochView INITIAL =
      new EpochView(UNKNOWN, null, List.of(), SequentialKeys.NONE, UNKNOWN);

  private static final int ROLLBACKS_MAX = 64;

  /**
   * @param leastTarget the least that a fence has named so far
   */
  public record Doubt(long epoch, long leastTarget) {}

  public EpochView {
    rollbacks = List.copyOf(rollbacks);
  }

  /**
   * @param safePoint the safe point of the present epoch: no automatic rollback discards anything
   *     before it
   */
  public EpochView observed(Pb0.ResponseContext context, long safePoint) {
    return observed(context, safePoint, false);
  }

  /**
   * Like the other.
   *
   * @param adopts whether the client continues in an epoch that undid nothing of its work; else it
   *     treats that as a rollback
   */
  EpochView observed(Pb0.ResponseContext context, long safePoint, boolean adopts) {
    long newest = context.hasEpoch() ? context.getEpoch() : UNKNOWN;
    if (context.hasFence()) {
      newest = Math.max(newest, context.getFence().getEpoch());
    }
    if (newest <= epoch || (doubt != null && newest < doubt.epoch())) {
      return this;
    }
    if (epoch == UNKNOWN && context.hasFence() && context.getFence().getPaused()) {
      // Not begun yet: only a node that serves the epoch names its sequential keys.
      return this;
    }
    if (epoch == UNKNOWN) {
      SequentialKeys sequentialKeys =
          SequentialKeys.of(context.getSequentialUntilMicros(), context.getSequentialKeysList());
      return new EpochView(newest, null, List.of(), sequentialKeys, newest);
    }
    return context.hasFence()
        ? fenced(newest, context.getFence(), safePoint, adopts)
        : doubting(newest, null);
  }

  private EpochView fenced(long newest, Pb0.Fence fence, long safePoint, boolean adopts) {
    EpochView doubting = doubting(newest, fence);
    Doubt newDoubt = doubting.doubt();
    boolean served = fence.getEpoch() == newest && !fence.getPaused() && fence.hasTarget();
    if (!served || newDoubt == null) {
      return doubting;
    }
    SequentialKeys sequentialKeys =
        SequentialKeys.of(fence.getSequentialUntilMicros(), fence.getSequentialKeysList());
    if (adopts && fence.getStands()) {
      return new EpochView(newest, null, rollbacks, sequentialKeys, standsSince);
    }
    List<RolledBack> all = new ArrayList<>(rollbacks);
    long target =
        newest == epoch + 1
            ? newDoubt.leastTarget()
            : Math.min(newDoubt.leastTarget(), missed(fence, safePoint));
    boolean restart = fence.getRestartEpoch() > epoch;
    all.add(new RolledBack(epoch, newest, target, fence.getSequentialUntilMicros(), restart));
    if (all.size() > ROLLBACKS_MAX) {
      RolledBack oldest = all.remove(0);
      all.set(0, join(oldest, all.get(0)));
    }
    return new EpochView(newest, null, all, sequentialKeys, newest);
  }

  /**
   * A fence names the target of the fence's epoch only. Of the rollbacks that the client missed it
   * knows only that they kept to the safe point, or the least target of all that did not.
   */
  private long missed(Pb0.Fence fence, long safePoint) {
    return fence.getDeepEpoch() > epoch ? Math.min(safePoint, fence.getDeepTarget()) : safePoint;
  }

  private EpochView doubting(long newest, Pb0.@Nullable Fence fence) {
    long least = doubt == null ? Long.MAX_VALUE : doubt.leastTarget();
    if (fence != null && fence.hasTarget()) {
      least = Math.min(least, fence.getTarget());
    }
    return new EpochView(epoch, new Doubt(newest, least), rollbacks, sequential, standsSince);
  }

  /** Whether a result of this epoch counts. */
  public boolean isCurrent(long callEpoch) {
    return callEpoch == UNKNOWN || (callEpoch >= standsSince && doubt == null);
  }

  /** Whether no result of this epoch counts, nor will; what is in doubt may yet. */
  public boolean isOver(long callEpoch) {
    return callEpoch != UNKNOWN && callEpoch < standsSince;
  }

  /** The epoch in which a call that began in this one continues, if it does. */
  public long epochFor(long callEpoch) {
    return callEpoch == UNKNOWN || isOver(callEpoch) ? callEpoch : epoch;
  }

  /** All rollbacks after {@code since}, as one: what stands, stands after each of them. */
  public RolledBack rolledBackSince(long since) {
    RolledBack joined = null;
    for (RolledBack next : rollbacks) {
      if (next.toEpoch() > since) {
        joined = joined == null ? next : join(joined, next);
      }
    }
    if (joined == null) {
      throw new IllegalStateException("no rollback is known: since=" + since + " " + this);
    }
    return joined;
  }

  private static RolledBack join(RolledBack first, RolledBack second) {
    return new RolledBack(
        first.fromEpoch(),
        second.toEpoch(),
        Math.min(first.target(), second.target()),
        Math.max(first.sequentialUntilMicros(), second.sequentialUntilMicros()),
        first.restart() || second.restart());
  }
}
