package io.palinode.orchestrator.plan;

import io.palinode.wire.v1.Resume;

/**
 * A plan that ended: it opened {@code epoch}, and the store went back to {@code target}.
 *
 * @param quietSince every undo of the plan is after it on every node
 * @param clock every undo of the plan is at or before it on every node, and every write of the
 *     epoch after it
 * @param abandoned the store stayed as it was: nothing before {@code clock} is trusted, nor ever a
 *     target again
 * @param branchEnd the cut at this HLC is the store as it was before the plan, on all nodes; 0: no
 *     one cut is, or nothing was taken back
 * @param undone what it took back is there again
 * @param byHand an operator asked for it
 * @param restarted likewise the store stayed as it was, for the target could not be reached, and
 *     programs were told to begin anew
 * @param ofSome only what came of some writes was undone: all else after the target stands
 * @param asIs each node kept the data that it had, and replicas may differ
 */
public record PastPlan(
    long epoch,
    String predicate,
    long openedMicros,
    long target,
    long quietSince,
    long clock,
    boolean abandoned,
    long branchEnd,
    boolean undone,
    boolean restarted,
    boolean byHand,
    boolean ofSome,
    boolean asIs) {

  public static PastPlan of(Plan done, long quietSince, Resume resume) {
    return new PastPlan(
        done.epoch(),
        done.predicate(),
        done.openedMicros(),
        resume.getTarget(),
        quietSince,
        resume.getClock(),
        done.isAbandoned(),
        done.isKept() || done.isGivenUp() ? 0 : done.branchEnd(),
        false,
        resume.getRestart(),
        done.operator().isByHand(),
        done.affected().ofSome(),
        resume.getAsIs());
  }

  /** It took nothing back, though it should have. */
  public boolean keptAll() {
    return abandoned || restarted;
  }

  /** What happened at {@code hlc} in {@code ofEpoch} asks for nothing any more. */
  public boolean settles(long ofEpoch, long hlc) {
    return epoch > ofEpoch && (keptAll() || target < hlc);
  }

  /** Whether nodes may have been on different sides of the undo then. */
  public boolean isHalfDoneAt(long hlc) {
    return quietSince < hlc && hlc < clock;
  }

  /**
   * Whether the plan took back what happened up to {@code hlc}, but was not yet done everywhere by
   * then: a cut there would bring it back, on some nodes or on all.
   */
  public boolean isWithin(long hlc) {
    return !undone && (keptAll() || target < hlc) && hlc < clock;
  }

  /**
   * No client's write since then, up to {@code clock}, is there any more. Of a plan that undid only
   * some, others before it are gone too.
   */
  public long goneSince() {
    return !ofSome ? target : branchEnd > 0 ? branchEnd : quietSince;
  }

  public PastPlan asUndone() {
    return new PastPlan(
        epoch,
        predicate,
        openedMicros,
        target,
        quietSince,
        clock,
        abandoned,
        branchEnd,
        true,
        restarted,
        byHand,
        ofSome,
        asIs);
  }
}
