package io.palinode.orchestrator.plan;

import io.palinode.hvc.PointInTime;
import io.palinode.wire.v1.Resume;

/**
 * A plan that ended: it opened {@code epoch} and restored {@code target}.
 *
 * @param undone a later plan reinstated what this plan discarded
 */
public record PastPlan(
    long epoch, Cause cause, long target, Span span, Extent extent, boolean undone) {

  /**
   * Why there was a plan.
   *
   * @param byHand an operator requested the plan
   */
  record Cause(String predicate, long openedMicros, boolean byHand) {}

  /**
   * When the nodes undid writes.
   *
   * @param quietSince every undo of the plan is after it on every node
   * @param clock every undo of the plan is at or before it on every node, and every write of the
   *     epoch after it
   * @param branchEnd the cut at this HLC is the store before the plan, on all nodes; 0: no such
   *     cut, or the plan undid no write
   */
  record Span(long quietSince, long clock, long branchEnd) {}

  /**
   * What the nodes undid of what the plan's violations required.
   *
   * @param abandoned nodes kept their data: no HLC before {@code clock} is a target again
   * @param restarted nodes kept their data because the target could not be restored, and programs
   *     restarted
   * @param ofSome the plan undid only writes that depend on its witnesses; all others after the
   *     target stand
   * @param asIs each node kept the data that it had, and replicas may differ
   */
  record Extent(boolean abandoned, boolean restarted, boolean ofSome, boolean asIs) {}

  public static PastPlan of(Plan done, long quietSince, Resume resume) {
    long branchEnd = done.isKept() || done.isGivenUp() ? 0 : done.branchEnd();
    return new PastPlan(
        done.epoch(),
        new Cause(done.predicate(), done.openedMicros(), done.operator().isByHand()),
        resume.getTarget(),
        new Span(quietSince, resume.getClock(), branchEnd),
        new Extent(
            done.isAbandoned(), resume.getRestart(), done.affected().ofSome(), resume.getAsIs()),
        false);
  }

  public String predicate() {
    return cause.predicate;
  }

  public long openedMicros() {
    return cause.openedMicros;
  }

  public boolean byHand() {
    return cause.byHand;
  }

  public long quietSince() {
    return span.quietSince;
  }

  public long clock() {
    return span.clock;
  }

  public long branchEnd() {
    return span.branchEnd;
  }

  public boolean abandoned() {
    return extent.abandoned;
  }

  public boolean restarted() {
    return extent.restarted;
  }

  public boolean asIs() {
    return extent.asIs;
  }

  /** Whether the plan discarded no write although its violations required it. */
  public boolean keptAll() {
    return extent.abandoned || extent.restarted;
  }

  /** Whether a violation at {@code hlc} in {@code ofEpoch} no longer asks for a rollback. */
  public boolean settles(long ofEpoch, long hlc) {
    return epoch > ofEpoch && (keptAll() || target < hlc);
  }

  /** Whether only some nodes may have carried out the undo at {@code hlc}. */
  public boolean isHalfDoneAt(long hlc) {
    return span.quietSince < hlc && hlc < span.clock;
  }

  /**
   * Whether the plan discards events up to {@code hlc} but was not complete on all nodes by then. A
   * cut at {@code hlc} would reinstate discarded writes.
   */
  public boolean isWithin(long hlc) {
    return !undone && (keptAll() || target < hlc) && hlc < span.clock;
  }

  /** Why the store cannot be read at {@code hlc}, at which it {@link #isHalfDoneAt}. */
  public String whyHalfDone(long hlc) {
    return "at time %s the store was half undone, by the rollback to epoch %d: it can be read up to %s, and from %s on"
        .formatted(
            PointInTime.format(hlc),
            epoch,
            PointInTime.format(span.quietSince),
            PointInTime.format(span.clock));
  }

  /** Why no plan restores this cut, which {@link #isWithin}, with the times that one can. */
  public String whyWithin(long cut) {
    return keptAll()
        ? "rollback %d %s: nothing before its end, %s, can be restored"
            .formatted(
                epoch,
                extent.abandoned ? "was abandoned" : "ended in a restart",
                PointInTime.format(span.clock))
        : "rollback %d discarded what was at %s: choose a time up to %s, or after %s"
            .formatted(
                epoch,
                PointInTime.format(cut),
                PointInTime.format(target),
                PointInTime.format(span.clock));
  }

  /**
   * The HLC from which, up to {@code clock}, no client's write is left. If the plan undid only some
   * writes, earlier writes are gone too.
   */
  public long goneSince() {
    if (!extent.ofSome) {
      return target;
    }
    return span.branchEnd > 0 ? span.branchEnd : span.quietSince;
  }

  public PastPlan asUndone() {
    return new PastPlan(epoch, cause, target, span, extent, true);
  }
}
