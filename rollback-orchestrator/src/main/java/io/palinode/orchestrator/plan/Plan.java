package io.palinode.orchestrator.plan;

import io.palinode.wire.plan.Phase;
import io.palinode.wire.plan.PlanSteps;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converged;
import io.palinode.wire.v1.DutyFailed;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Restored;
import io.palinode.wire.v1.Resume;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The open plan, as the control log describes it. Immutable.
 *
 * <p>The first record of each step and attempt counts, and each node's first answer to it. {@link
 * #read} returns the same object for all other records.
 *
 * @param steps the phase, the attempt, and what an operator has decided
 * @param now the answers of the nodes in the phase
 * @param reports the clocks and reaches of the nodes, in all attempts
 * @param affected how far the effects of the violations reach, if the plan asks for that
 */
public record Plan(
    PlanOpening opening,
    PlanSteps steps,
    PlanPhase now,
    NodeReports reports,
    Halts halts,
    AffectedReports affected) {

  public static Plan opened(ControlRecord record) {
    return new Plan(
        PlanOpening.of(record),
        PlanSteps.OPENED,
        PlanPhase.begun(record.getPlanOpened().getTarget(), record.getAtMicros()),
        NodeReports.NONE,
        Halts.NONE,
        AffectedReports.NONE);
  }

  /** The epoch that the plan opens. */
  public long epoch() {
    return opening.epoch();
  }

  public String predicate() {
    return opening.predicate();
  }

  public OperatorPart operator() {
    return opening.operator();
  }

  public long openedMicros() {
    return opening.atMicros();
  }

  public Phase phase() {
    return steps.phase();
  }

  /** 0 before the first restore. */
  public int attempt() {
    return steps.attempt();
  }

  /** The target of the last {@code Restore}; before the first, of {@code PlanOpened}. */
  public long target() {
    return now.target();
  }

  /** When the phase began, by the orchestrator's clock. */
  public long sinceMicros() {
    return now.sinceMicros();
  }

  /** The nodes that have completed the phase. */
  public Set<Integer> acked() {
    return now.acked();
  }

  /** The terms that hold on the cut, in the order of the log. */
  public List<CutPiece> holding() {
    return now.holding();
  }

  /** Why a node could not restore, or why the plan halted; empty: neither. */
  public String failure() {
    return now.failure();
  }

  /** The greatest HLC that a node reported after its pause or its converging; 0 before. */
  public long clock() {
    return reports.clock();
  }

  /** The earliest HLC at which a node paused; {@link Long#MAX_VALUE} before. */
  public long quietSince() {
    return reports.quietSince();
  }

  /** All nodes began to undo after this HLC; 0: unknown, or not so. */
  public long branchEnd() {
    return reports.branchEnd();
  }

  /** The plan after a record of its epoch, or after any {@code NodeJoined}. */
  public Plan read(ControlRecord record) {
    PlanSteps next = steps.after(record);
    return next.equals(steps)
        ? answered(record)
        : with(next).stepped(record, next.phase() != phase());
  }

  /**
   * After a record that is the next step; {@link #steps} are those after it.
   *
   * @param entersPhase whether the phase changed; a cancellation may continue the phase
   */
  private Plan stepped(ControlRecord record, boolean entersPhase) {
    Plan begun = with(PlanPhase.begun(target(), record.getAtMicros()));
    return switch (record.getStepCase()) {
      case RESTORE -> begun.restoring(record.getRestore());
      case HALTED ->
          begun
              .with(begun.now.failed(record.getHalted().getReason()))
              .with(halts.halted(record.getHalted()));
      case RETRY -> begun.pausedAgain().with(halts.retried(attempt()));
      case ABANDON -> begun.pausedAgain().with(halts.abandoned(attempt(), record.getAbandon()));
      case CANCEL -> (entersPhase ? begun.pausedAgain() : this).with(halts.asCancelled());
      case RESTORED -> answered(record);
      default -> begun;
    };
  }

  /** After a record that is no step of the orchestrator. */
  private Plan answered(ControlRecord record) {
    return switch (record.getStepCase()) {
      case PAUSED -> paused(record.getPaused());
      case RESTORED -> restored(record.getRestored());
      case CONVERGED -> converged(record.getConverged());
      case NODE_JOINED ->
          with(
              reports.reaching(
                  record.getNodeJoined().getNode(), record.getNodeJoined().getReach()));
      case ACCESSED, NAMED, CONTRIBUTION ->
          with(halts.with(halts.answers().with(record, attempt())));
      case DUTY_FAILED -> dutyFailed(record.getDutyFailed());
      default -> this;
    };
  }

  /** Whether the resume ends this attempt. A resume of an earlier attempt does not. */
  public boolean isEndedBy(Resume resume) {
    return steps.isEndedBy(resume);
  }

  /** The predicate whose violations an operator has approved; empty: none. */
  public String approves() {
    return operator().approves() == 0 ? "" : predicate();
  }

  public boolean ackedByAll(int nodes) {
    return acked().size() == nodes;
  }

  /** The nodes that the phase, and all other nodes, wait for. */
  public List<Integer> missing(int nodes) {
    List<Integer> missing =
        IntStream.range(0, nodes)
            .filter(n -> !acked().contains(n) && !halts.ending().stopped().contains(n))
            .boxed()
            .toList();
    return halts.answers().behind(missing);
  }

  /** With a node's failure, if it is of this attempt and was not answered by an operator. */
  private Plan dutyFailed(DutyFailed failed) {
    boolean isOfNow =
        failed.getAttempt() == attempt()
            && failed.getHalts() == steps.halts()
            && phase() != Phase.OPENED
            && phase() != Phase.HALTED
            && !acked().contains(failed.getNode());
    return isOfNow ? with(halts.with(halts.answers().with(failed))) : this;
  }

  /** No cut before this HLC can be restored on all nodes that reported their reach. */
  public long reachMax() {
    return reports.reachMax();
  }

  /** Why {@code target} cannot be restored. The target must be before {@link #reachMax}. */
  public String outOfReach(long target) {
    return reports.outOfReach(target);
  }

  /** Attempts since the opening, or since an operator's latest retry. */
  public int attemptsOfThisTry() {
    return attempt() - halts.attemptsBefore() - halts.fallback().rounds();
  }

  /** The plan as a retry would leave it, with all attempts available again. */
  public Plan triedAgain() {
    return with(steps.retried()).with(halts.retried(attempt()));
  }

  public boolean isAbandoned() {
    return steps.decision().abandoned();
  }

  public boolean isCancelled() {
    return steps.decision().cancelled();
  }

  /** Whether the plan undoes no write. */
  public boolean isKept() {
    return steps.keepsData();
  }

  /** Whether the target cannot be restored and the resume will restart programs. */
  public boolean isRestarted() {
    return steps.restarts();
  }

  /** Whether the plan was to undo only some writes and cannot: it then discards no write. */
  public boolean isGivenUp() {
    return operator().isOfSome() && attempt() > 0 && !affected.ofSome();
  }

  /**
   * Terms that no longer hold on the final cut may hold on cuts before this HLC. If the plan undid
   * only some writes, they may also hold at the target: the write that ended them may be later, and
   * stand.
   */
  public long heldBefore() {
    return isKept() ? clock() : affected.ofSome() ? target() + 1 : target();
  }

  /** Whether each node has paused. */
  public boolean hasPaused(int nodes) {
    return reports.paused().size() == nodes;
  }

  /** Whether the plan can still be cancelled: the log holds no restore of it. */
  public boolean isCancellable() {
    return steps.isCancellable();
  }

  private Plan paused(Paused ack) {
    Plan known = with(reports.paused(ack)).with(affected.with(ack));
    return phase() == Phase.PAUSING ? known.acked(ack.getNode()) : known;
  }

  /** Paused nodes stay paused. */
  private Plan pausedAgain() {
    return with(now.ackedBy(reports.paused()));
  }

  private Plan restoring(Restore asked) {
    Plan next =
        with(now.to(asked.getTarget()))
            .with(halts.with(halts.fallback().with(asked)).with(Answers.NONE))
            .with(affected.restoring(asked.hasAffected()));
    return attempt() == 1 ? next.with(reports.branchEndingAt(asked.getPast())) : next;
  }

  private Plan restored(Restored ack) {
    // A node can find after its restore that it no longer knows the restored keys.
    boolean isAwaited =
        phase() == Phase.RESTORING || (phase() == Phase.CONVERGING && !ack.getFailure().isEmpty());
    if (!isAwaited || ack.getAttempt() != attempt() || acked().contains(ack.getNode())) {
      return this;
    }
    // A node that undid no write reports no begin.
    boolean isEarlier = ack.getBegunAt() > 0 && ack.getBegunAt() < branchEnd();
    Plan known = isEarlier ? with(reports.branchEndingAt(0)) : this;
    if (!ack.getFailure().isEmpty()) {
      return known.restoreFailed(ack);
    }
    known = known.with(affected.with(ack)).withClock(ack.getClock());
    return ack.getLast() ? known.acked(ack.getNode()) : known;
  }

  /** With the failure of a node's restore. The first failure counts. */
  private Plan restoreFailed(Restored ack) {
    Plan failed = with(halts.with(halts.fallback().with(ack)));
    String reason = "node " + ack.getNode() + " could not restore: " + ack.getFailure();
    return failure().isEmpty() ? failed.with(now.failed(reason)) : failed;
  }

  private Plan converged(Converged ack) {
    if (phase() != Phase.CONVERGING
        || ack.getAttempt() != attempt()
        || acked().contains(ack.getNode())) {
      return this;
    }
    Plan known =
        ack.getHoldingCount() == 0
            ? this
            : with(now.holding(new CutPiece(ack.getNode(), ack.getHoldingList())));
    known = known.withClock(ack.getClock()).with(halts.with(halts.fallback().with(ack)));
    known = known.with(affected.with(ack));
    return ack.getLast() ? known.acked(ack.getNode()) : known;
  }

  private Plan acked(int node) {
    return acked().contains(node)
        ? this
        : with(now.acked(node)).with(halts.with(halts.answers().done(node)));
  }

  private Plan withClock(long hlc) {
    return with(reports.atClock(hlc));
  }

  private Plan with(PlanSteps next) {
    return new Plan(opening, next, now, reports, halts, affected);
  }

  private Plan with(PlanPhase next) {
    return new Plan(opening, steps, next, reports, halts, affected);
  }

  private Plan with(NodeReports next) {
    return next.equals(reports) ? this : new Plan(opening, steps, now, next, halts, affected);
  }

  private Plan with(Halts next) {
    return next.equals(halts) ? this : new Plan(opening, steps, now, reports, next, affected);
  }

  private Plan with(AffectedReports next) {
    return next.equals(affected) ? this : new Plan(opening, steps, now, reports, halts, next);
  }
}
