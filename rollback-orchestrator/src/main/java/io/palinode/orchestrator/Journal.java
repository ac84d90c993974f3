package io.palinode.orchestrator;

import io.palinode.wire.v1.ControlRecord;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the control log says so far, and nothing else: the same log gives the same journal.
 * Immutable.
 *
 * @param epoch the epoch in force: that of the last plan that was resumed, 0 before any
 * @param plan the open plan, which opens {@code epoch + 1}
 * @param past the latest plans, oldest first; enough to know what is covered, and what is frequent
 * @param safePoint the greatest safe point published
 * @param sequentialUntilMicros until when the last resume asks clients to write to all replicas
 */
public record Journal(
    int nodes,
    long epoch,
    @Nullable Plan plan,
    List<PastPlan> past,
    long safePoint,
    long sequentialUntilMicros) {
  /** Also the most rollbacks that {@code whenFrequent} can count. */
  static final int PAST_MAX = 1_024;

  public static Journal empty(int nodes) {
    return new Journal(nodes, 0, null, List.of(), 0, 0);
  }

  /** The journal with one more record; the same object when the record has no effect. */
  public Journal read(ControlRecord record) {
    if (writer(record) >= nodes) {
      return this;
    }
    return switch (record.getStepCase()) {
      case PLAN_OPENED ->
          plan == null && record.getEpoch() == epoch + 1 ? withPlan(Plan.opened(record)) : this;
      case RESUME ->
          plan != null && record.getEpoch() == plan.epoch() && plan.isEndedBy(record.getResume())
              ? resumed(plan, record)
              : this;
      case SAFE_POINT ->
          plan == null && record.getSafePoint().getHlc() > safePoint
              ? new Journal(
                  nodes, epoch, null, past, record.getSafePoint().getHlc(), sequentialUntilMicros)
              : this;
      case NODE_JOINED -> plan == null ? this : withPlan(plan.read(record));
      case PAUSE,
          PAUSED,
          RESTORE,
          RESTORED,
          CONVERGE,
          CONTRIBUTION,
          CONVERGED,
          HALTED,
          RETRY,
          ABANDON ->
          plan != null && record.getEpoch() == plan.epoch() ? withPlan(plan.read(record)) : this;
      case WATCHING, SNAPSHOT, STEP_NOT_SET -> this;
    };
  }

  /**
   * A plan has taken back what happened at {@code hlc} in {@code ofEpoch}, or an operator has given
   * that up.
   */
  boolean isSettled(long ofEpoch, long hlc) {
    return past.stream().anyMatch(p -> p.settles(ofEpoch, hlc));
  }

  /** It is settled, but not taken back. */
  boolean isGivenUp(long ofEpoch, long hlc) {
    return isSettled(ofEpoch, hlc)
        && past.stream().filter(p -> p.settles(ofEpoch, hlc)).allMatch(PastPlan::abandoned);
  }

  /** The newest plan that was abandoned, unless the safe point has passed it since; or null. */
  @Nullable PastPlan unclaimed() {
    for (int i = past.size() - 1; i >= 0; i--) {
      PastPlan plan = past.get(i);
      if (plan.abandoned()) {
        return safePoint < plan.clock() ? plan : null;
      }
    }
    return null;
  }

  /** The open plan takes, or has been told to take, back what happened at {@code hlc}. */
  boolean isBeingTakenBack(long ofEpoch, long hlc) {
    return plan != null
        && !plan.phase().isBeforeRestore()
        && plan.attempt() > 0
        && plan.epoch() > ofEpoch
        && plan.target() < hlc;
  }

  /** The plan that took back what happened up to {@code hlc} and was not done by then, or null. */
  @Nullable PastPlan takenBackAround(long hlc) {
    return past.stream().filter(p -> p.isWithin(hlc)).findFirst().orElse(null);
  }

  /**
   * The first cut at or after {@code hlc} that brings back nothing that a plan took back: right
   * after a plan the store is what it was at the plan's target.
   */
  long notTakenBack(long hlc) {
    long cut = hlc;
    for (PastPlan plan : past) {
      cut = plan.isWithin(cut) ? plan.clock() : cut;
    }
    return cut;
  }

  /**
   * The earliest cut that is the same as the one at {@code hlc}, as if the plans that ended there
   * had not been; 0: there is none, the plan was abandoned.
   */
  long beforePlansAt(long hlc) {
    long cut = hlc;
    for (int i = past.size() - 1; i >= 0; i--) {
      PastPlan plan = past.get(i);
      cut = plan.clock() != cut ? cut : plan.abandoned() ? 0 : plan.target();
    }
    return cut;
  }

  /** Plans that {@code predicate} caused after that time, without the open one. */
  long pastPlans(String predicate, long afterMicros) {
    return past.stream()
        .filter(p -> p.predicate().equals(predicate) && p.openedMicros() > afterMicros)
        .count();
  }

  /** The node that wrote a record; -1 for a record of the orchestrator. */
  static int writer(ControlRecord record) {
    return switch (record.getStepCase()) {
      case PAUSED -> record.getPaused().getNode();
      case RESTORED -> record.getRestored().getNode();
      case CONTRIBUTION -> record.getContribution().getNode();
      case CONVERGED -> record.getConverged().getNode();
      case NODE_JOINED -> record.getNodeJoined().getNode();
      case PLAN_OPENED,
          PAUSE,
          RESTORE,
          CONVERGE,
          RESUME,
          HALTED,
          RETRY,
          ABANDON,
          SAFE_POINT,
          WATCHING,
          SNAPSHOT,
          STEP_NOT_SET ->
          -1;
    };
  }

  private Journal withPlan(Plan next) {
    return next.equals(plan)
        ? this
        : new Journal(nodes, epoch, next, past, safePoint, sequentialUntilMicros);
  }

  private Journal resumed(Plan done, ControlRecord record) {
    PastPlan last =
        new PastPlan(
            done.epoch(),
            done.predicate(),
            done.openedMicros(),
            record.getResume().getTarget(),
            record.getResume().getClock(),
            done.isAbandoned());
    List<PastPlan> longer =
        Stream.concat(past.stream().skip(Math.max(0, past.size() + 1 - PAST_MAX)), Stream.of(last))
            .toList();
    return new Journal(
        nodes,
        done.epoch(),
        null,
        longer,
        safePoint,
        record.getResume().getSequentialUntilMicros());
  }
}
