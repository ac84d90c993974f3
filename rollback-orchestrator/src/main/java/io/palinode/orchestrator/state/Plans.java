package io.palinode.orchestrator.state;

import io.palinode.hvc.PointInTime;
import io.palinode.orchestrator.plan.PastPlan;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.plan.ServingNodes;
import io.palinode.orchestrator.plan.SnapshotCut;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.SnapshotRef;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The plans of the control log, and the writes that they discard. Immutable.
 *
 * @param epoch the epoch in force: that of the last plan that resumed, 0 before the first
 * @param open the open plan, which opens {@code epoch + 1}
 * @param past the latest plans, oldest first; at most {@link #PAST_MAX}
 * @param serving the nodes that serve the epoch of the latest plan
 */
public record Plans(long epoch, @Nullable Plan open, List<PastPlan> past, ServingNodes serving) {
  /** The limit of past plans, and so of the rollbacks that {@code whenFrequent} can count. */
  public static final int PAST_MAX = 1_024;

  static final Plans NONE = new Plans(0, null, List.of(), ServingNodes.NONE);

  Plans opened(ControlRecord record) {
    return new Plans(epoch, Plan.opened(record), past, ServingNodes.opened(record.getEpoch()));
  }

  Plans with(Plan next) {
    return next.equals(open) ? this : new Plans(epoch, next, past, serving);
  }

  Plans with(ServingNodes next) {
    return next.equals(serving) ? this : new Plans(epoch, open, past, next);
  }

  /** Without the open plan, which {@code record} ends. */
  Plans resumed(Plan done, ControlRecord record) {
    PastPlan last = PastPlan.of(done, quietSince(done), record.getResume());
    PastPlan brought = done.operator().isUndo() ? pastPlan(done.operator().undoes()) : null;
    boolean isBack = brought != null && brought.branchEnd() == last.target();
    List<PastPlan> longer =
        Stream.concat(
                past.stream()
                    .skip(Math.max(0, past.size() + 1 - PAST_MAX))
                    .map(p -> isBack && p.clock() > last.target() ? p.asUndone() : p),
                Stream.of(last))
            .toList();
    return new Plans(done.epoch(), null, longer, serving.resumed(record.getAtMicros()));
  }

  /**
   * Whether a plan discarded the write at {@code hlc} in {@code ofEpoch}, or an operator gave up on
   * that.
   */
  public boolean isSettled(long ofEpoch, long hlc) {
    return past.stream().anyMatch(p -> p.settles(ofEpoch, hlc));
  }

  /** The first plan that settles {@code hlc}, if no plan restored a cut before it; else null. */
  public @Nullable PastPlan settledWithoutRestore(long ofEpoch, long hlc) {
    List<PastPlan> settling = past.stream().filter(p -> p.settles(ofEpoch, hlc)).toList();
    return settling.isEmpty() || !settling.stream().allMatch(PastPlan::keptAll)
        ? null
        : settling.get(0);
  }

  /** The newest abandoned plan, unless the safe point has passed it; else null. */
  @Nullable PastPlan newestAbandoned(long safePoint) {
    for (int i = past.size() - 1; i >= 0; i--) {
      PastPlan plan = past.get(i);
      if (plan.abandoned()) {
        return safePoint < plan.clock() ? plan : null;
      }
    }
    return null;
  }

  /**
   * Whether the open plan discards the write at {@code hlc} and cannot reinstate it. A reinstating
   * plan, and one that undoes only some writes, can.
   */
  public boolean isBeingDiscarded(long ofEpoch, long hlc) {
    return open != null
        && !open.operator().isUndo()
        && !open.operator().isOfSome()
        && !open.phase().isBeforeRestore()
        && open.attempt() > 0
        && open.epoch() > ofEpoch
        && open.target() < hlc;
  }

  /** The plan that discards events up to {@code hlc} and was not complete by then; or null. */
  public @Nullable PastPlan discardedAround(long hlc) {
    return discardedAround(hlc, 0);
  }

  /** The same, except for the plan that opened {@code except}, which is to be undone. */
  public @Nullable PastPlan discardedAround(long hlc, long except) {
    return past.stream()
        .filter(p -> p.epoch() != except && p.isWithin(hlc))
        .findFirst()
        .orElse(null);
  }

  /** The plan that opened {@code ofEpoch}; null: unknown, or dropped. */
  public @Nullable PastPlan pastPlan(long ofEpoch) {
    return past.stream().filter(p -> p.epoch() == ofEpoch).findFirst().orElse(null);
  }

  /** The first plan that ended and opened an epoch after {@code ofEpoch}; null: none did. */
  public @Nullable PastPlan firstAfter(long ofEpoch) {
    return past.stream().filter(p -> p.epoch() > ofEpoch).findFirst().orElse(null);
  }

  /**
   * The first cut at or after {@code hlc} that holds no discarded write. Right after a plan, the
   * store is as it was at the plan's target.
   */
  public long firstUndiscarded(long hlc) {
    long cut = hlc;
    for (PastPlan plan : past) {
      cut = plan.isWithin(cut) ? plan.clock() : cut;
    }
    return cut;
  }

  /**
   * The earliest cut equal to the one at {@code hlc}, skipping plans that ended there. 0: none, as
   * the plan discarded no write although it should have.
   */
  public long beforePlansAt(long hlc) {
    long cut = hlc;
    for (int i = past.size() - 1; i >= 0; i--) {
      PastPlan plan = past.get(i);
      boolean endsThere = plan.clock() == cut && !plan.undone();
      cut = !endsThere ? cut : plan.keptAll() ? 0 : plan.target();
    }
    return cut;
  }

  /**
   * Why the store at {@code hlc} cannot be read, with the nearest readable times; null: it can.
   * Nodes may be on different sides of an undo at {@code hlc}.
   */
  public @Nullable String halfUndoneAt(long hlc) {
    if (open != null && open.attempt() > 0 && quietSince(open) < hlc) {
      return "the rollback to epoch %d is under way: the store can be read up to %s, or after the rollback"
          .formatted(open.epoch(), PointInTime.format(quietSince(open)));
    }
    for (PastPlan done : past) {
      if (done.isHalfDoneAt(hlc)) {
        return done.whyHalfDone(hlc);
      }
    }
    return null;
  }

  /** Whether the cut is the store of one epoch and holds no discarded write. */
  public boolean isWholeAt(long hlc) {
    return notWholeAt(hlc) == null;
  }

  /** Why the cut is not the store of one epoch, or holds discarded writes; null: neither. */
  public @Nullable String notWholeAt(long hlc) {
    PastPlan around = discardedAround(hlc);
    if (around != null) {
      return around.whyWithin(hlc);
    }
    return past.stream()
        .filter(p -> p.isHalfDoneAt(hlc))
        .findFirst()
        .map(p -> p.whyHalfDone(hlc))
        .orElse(null);
  }

  /** Whether the open plan's target is the cut of this snapshot, or an operator asks for that. */
  public boolean isGoingTo(String snapshot) {
    if (open == null) {
      return false;
    }
    SnapshotCut cut = open.halts().fallback().snapshot();
    SnapshotRef wanted = open.operator().snapshot();
    return (cut != null && cut.id().equals(snapshot))
        || (wanted != null && wanted.getId().equals(snapshot));
  }

  /** The newest plan of {@code predicate} that ended in a restart; or null. */
  public @Nullable PastPlan lastRestart(String predicate) {
    return past.stream()
        .filter(p -> p.restarted() && p.predicate().equals(predicate))
        .reduce((older, newer) -> newer)
        .orElse(null);
  }

  /**
   * The HLC after which the plan undoes writes; no node starts before the previous plan's clock.
   */
  private long quietSince(Plan some) {
    long over = past.isEmpty() ? 0 : past.get(past.size() - 1).clock();
    return Math.max(over, some.quietSince());
  }

  /**
   * Whether what holds since {@code hlc} held when the epoch began. Nodes open such intervals right
   * after the clock of the plan.
   */
  public boolean isFromBeginning(long epoch, long hlc) {
    PastPlan opened = pastPlan(epoch);
    return opened != null && hlc <= opened.clock() + 1;
  }
}
