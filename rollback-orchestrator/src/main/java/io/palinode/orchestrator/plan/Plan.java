package io.palinode.orchestrator.plan;

import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converged;
import io.palinode.wire.v1.DutyFailed;
import io.palinode.wire.v1.Halted;
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
 * @param now the phase, and the answers of the nodes in it
 * @param reports the clocks and reaches of the nodes, in all attempts
 * @param affected how far the effects of the violations reach, if the plan asks for that
 */
public record Plan(
    PlanOpening opening,
    PlanPhase now,
    NodeReports reports,
    Halts halts,
    AffectedReports affected) {

  public static Plan opened(ControlRecord record) {
    long target = record.getPlanOpened().getTarget();
    return new Plan(
        PlanOpening.of(record),
        new PlanPhase(Phase.OPENED, 0, target, record.getAtMicros(), PlanPhase.Results.NONE),
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
    return now.phase();
  }

  /** 0 before the first restore. */
  public int attempt() {
    return now.attempt();
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
    return now.results().acked();
  }

  /** The terms that hold on the cut, in the order of the log. */
  public List<CutPiece> holding() {
    return now.results().holding();
  }

  /** Why a node could not restore, or why the plan halted; empty: neither. */
  public String failure() {
    return now.results().failure();
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
    return switch (record.getStepCase()) {
      case PAUSE -> phase() == Phase.OPENED ? enter(Phase.PAUSING, record) : this;
      case PAUSED -> paused(record.getPaused());
      case RESTORE -> restore(record);
      case RESTORED -> restored(record.getRestored());
      case CONVERGE ->
          phase() == Phase.RESTORING && record.getConverge().getAttempt() == attempt()
              ? enter(Phase.CONVERGING, record)
              : this;
      case CONVERGED -> converged(record.getConverged());
      case HALTED -> isHaltedBy(record.getHalted()) ? halted(record) : this;
      case NODE_JOINED ->
          with(
              reports.reaching(
                  record.getNodeJoined().getNode(), record.getNodeJoined().getReach()));
      case RETRY -> goOn(record, record.getRetry().getHalt(), halts.retried(attempt()));
      case ABANDON ->
          goOn(
              record,
              record.getAbandon().getHalt(),
              halts.abandoned(attempt(), record.getAbandon()));
      case CANCEL -> cancelled(record);
      case ACCESSED, NAMED, CONTRIBUTION ->
          with(halts.with(halts.answers().with(record, attempt())));
      case DUTY_FAILED -> dutyFailed(record.getDutyFailed());
      case PLAN_OPENED,
          RESUME,
          SAFE_POINT,
          WATCHING,
          NODE_REPORT,
          SNAPSHOT,
          EFFECT,
          GATE,
          COVERAGE,
          SERVING,
          STEP_NOT_SET ->
          this;
    };
  }

  /** Whether the resume ends this attempt. A resume of an earlier attempt does not. */
  public boolean isEndedBy(Resume resume) {
    return phase() == Phase.CONVERGING
        && (!resume.hasAttempt() || resume.getAttempt() == attempt());
  }

  /** Whether the halt counts. A halt of an earlier attempt, or from before an answer, does not. */
  private boolean isHaltedBy(Halted halted) {
    return phase() != Phase.HALTED
        && (!halted.hasAttempt() || halted.getAttempt() == attempt())
        && (!halted.hasHaltsBefore() || halted.getHaltsBefore() == halts.count());
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
            && failed.getHalts() == halts.count()
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
    return with(halts.retried(attempt()));
  }

  public boolean isAbandoned() {
    return halts.abandoned();
  }

  public boolean isCancelled() {
    return halts.cancelled();
  }

  /** Whether the plan undoes no write. */
  public boolean isKept() {
    return halts.abandoned() || halts.cancelled() || isRestarted();
  }

  /** Whether the target cannot be restored and the resume will restart programs. */
  public boolean isRestarted() {
    return halts.fallback().restarted();
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
    return attempt() == 0 && !isKept();
  }

  private Plan paused(Paused ack) {
    Plan known = with(reports.paused(ack)).with(affected.with(ack));
    return phase() == Phase.PAUSING ? known.acked(ack.getNode()) : known;
  }

  /** With an operator's answer, which counts for one halt. Paused nodes stay paused. */
  private Plan goOn(ControlRecord record, int halt, Halts answered) {
    return phase() == Phase.HALTED && halt == halts.count()
        ? pausedAgain(record).with(answered)
        : this;
  }

  /** With an operator's cancellation. Paused nodes stay paused. */
  private Plan cancelled(ControlRecord record) {
    if (!isCancellable()) {
      return this;
    }
    Plan going = phase() == Phase.HALTED ? pausedAgain(record) : this;
    return going.with(halts.asCancelled());
  }

  private Plan pausedAgain(ControlRecord record) {
    return with(now.then(Phase.PAUSING, record.getAtMicros()).ackedBy(reports.paused()));
  }

  private Plan restore(ControlRecord record) {
    Restore asked = record.getRestore();
    // A node that cannot restore ends the attempt at once; the other answers do not matter.
    boolean failed = phase() == Phase.RESTORING && !failure().isEmpty();
    boolean due = phase() == Phase.PAUSING || phase() == Phase.CONVERGING || failed;
    if (!due || asked.getAttempt() != attempt() + 1 || !isOfThisPlan(asked)) {
      return this;
    }
    Plan next =
        with(now.restoring(asked.getAttempt(), asked.getTarget(), record.getAtMicros()))
            .with(halts.with(halts.fallback().with(asked)).with(Answers.NONE))
            .with(affected.restoring(asked.hasAffected()));
    return attempt() == 0 ? next.with(reports.branchEndingAt(asked.getPast())) : next;
  }

  /**
   * Whether the restore fits the answers. One from before the plan was abandoned or cancelled does
   * not.
   */
  private boolean isOfThisPlan(Restore asked) {
    boolean givenUp = halts.abandoned() || halts.cancelled();
    if (asked.getAsIs() != halts.ending().asIs()) {
      return false;
    }
    return asked.getRestart()
        ? asked.getKeep() && !givenUp
        : !isRestarted() && asked.getKeep() == givenUp;
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

  private Plan enter(Phase next, ControlRecord record) {
    return with(now.then(next, record.getAtMicros()));
  }

  private Plan halted(ControlRecord record) {
    String reason = record.getHalted().getReason();
    return with(now.then(Phase.HALTED, record.getAtMicros()).failed(reason))
        .with(halts.halted(record.getHalted()));
  }

  private Plan acked(int node) {
    return acked().contains(node)
        ? this
        : with(now.acked(node)).with(halts.with(halts.answers().done(node)));
  }

  private Plan withClock(long hlc) {
    return with(reports.atClock(hlc));
  }

  private Plan with(PlanPhase next) {
    return new Plan(opening, next, reports, halts, affected);
  }

  private Plan with(NodeReports next) {
    return next.equals(reports) ? this : new Plan(opening, now, next, halts, affected);
  }

  private Plan with(Halts next) {
    return next.equals(halts) ? this : new Plan(opening, now, reports, next, affected);
  }

  private Plan with(AffectedReports next) {
    return next.equals(affected) ? this : new Plan(opening, now, reports, halts, next);
  }
}
