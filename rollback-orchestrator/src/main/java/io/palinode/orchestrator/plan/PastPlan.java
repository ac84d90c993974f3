package io.palinode.orchestrator.plan;

import io.palinode.wire.v1.Resume;

/**
 * A plan that ended: it opened {@code epoch} and restored {@code target}.
 *
 * @param quietSince every undo of the plan is after it on every node
 * @param clock every undo of the plan is at or before it on every node, and every write of the
 *     epoch after it
 * @param abandoned nodes kept their data: no HLC before {@code clock} is a target again
 * @param branchEnd the cut at this HLC is the store before the plan, on all nodes; 0: no such cut,
 *     or the plan undid no write
 * @param undone a later plan reinstated what this plan discarded
 * @param byHand an operator requested the plan
 * @param restarted nodes kept their data because the target could not be restored, and programs
 *     restarted
 * @param ofSome the plan undid only writes that depend on its witnesses; all others after the
 *     target stand
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

  /** Whether the plan discarded no write although its violations required it. */
  public boolean keptAll() {
    return abandoned || restarted;
  }

  /** Whether a violation at {@code hlc} in {@code ofEpoch} no longer asks for a rollback. */
  public boolean settles(long ofEpoch, long hlc) {
    return epoch > ofEpoch && (keptAll() || target < hlc);
  }

  /** Whether only some nodes may have carried out the undo at {@code hlc}. */
  public boolean isHalfDoneAt(long hlc) {
    return quietSince < hlc && hlc < clock;
  }

  /**
   * Whether the plan discards events up to {@code hlc} but was not complete on all nodes by then. A
   * cut at {@code hlc} would reinstate discarded writes.
   */
  public boolean isWithin(long hlc) {
    return !undone && (keptAll() || target < hlc) && hlc < clock;
  }

  /**
   * The HLC from which, up to {@code clock}, no client's write is left. If the plan undid only some
   * writes, earlier writes are gone too.
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
