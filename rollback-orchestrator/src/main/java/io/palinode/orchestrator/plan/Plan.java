package io.palinode.orchestrator.plan;

import io.palinode.hvc.Hlc;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converged;
import io.palinode.wire.v1.DutyFailed;
import io.palinode.wire.v1.Halted;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Restored;
import io.palinode.wire.v1.Resume;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The open plan, as the control log describes it. Immutable.
 *
 * <p>The first record of each step and attempt counts, and each node's first answer to it. {@link
 * #read} returns the same object for all other records.
 *
 * @param epoch the epoch that the plan opens
 * @param target of the last {@code Restore}, or of {@code PlanOpened} before the first
 * @param attempt 0 before the first restore
 * @param sinceMicros when the phase began, by the orchestrator's clock
 * @param paused nodes that have paused
 * @param acked nodes that have completed the phase
 * @param quietSince the earliest HLC at which a node paused: every undo is later; {@link
 *     Long#MAX_VALUE} before
 * @param reach by node: the latest reach that it reported during the plan
 * @param holding terms that hold on the cut, in the order of the log
 * @param clock the greatest HLC that a node reported after its pause or its converging, in all
 *     attempts; 0 before
 * @param operator the part that an operator requested
 * @param branchEnd all nodes began to undo after this HLC, as far as they have answered; 0:
 *     unknown, or not so
 * @param affected how far the effects of the violations reach, if the plan asks for that
 * @param failure why a node could not restore, or why the plan halted; empty: neither
 */
public record Plan(
    long epoch,
    String predicate,
    List<String> violationIds,
    long openedMicros,
    long target,
    Phase phase,
    int attempt,
    long sinceMicros,
    Set<Integer> paused,
    Set<Integer> acked,
    long quietSince,
    Map<Integer, Long> reach,
    List<CutPiece> holding,
    long clock,
    OperatorPart operator,
    long branchEnd,
    Halts halts,
    AffectedReports affected,
    String failure) {

  public static Plan opened(ControlRecord record) {
    return new Plan(
        record.getEpoch(),
        record.getPlanOpened().getPredicate(),
        List.copyOf(record.getPlanOpened().getViolationIdsList()),
        record.getAtMicros(),
        record.getPlanOpened().getTarget(),
        Phase.OPENED,
        0,
        record.getAtMicros(),
        Set.of(),
        Set.of(),
        Long.MAX_VALUE,
        Map.of(),
        List.of(),
        0,
        OperatorPart.of(record.getPlanOpened()),
        0,
        Halts.NONE,
        AffectedReports.NONE,
        "");
  }

  /** The plan after a record of its epoch, or after any {@code NodeJoined}. */
  public Plan read(ControlRecord record) {
    return switch (record.getStepCase()) {
      case PAUSE -> phase == Phase.OPENED ? enter(Phase.PAUSING, attempt, target, record) : this;
      case PAUSED -> paused(record.getPaused());
      case RESTORE -> restore(record);
      case RESTORED -> restored(record.getRestored());
      case CONVERGE ->
          phase == Phase.RESTORING && record.getConverge().getAttempt() == attempt
              ? enter(Phase.CONVERGING, attempt, target, record)
              : this;
      case CONVERGED -> converged(record.getConverged());
      case HALTED -> isHaltedBy(record.getHalted()) ? halted(record) : this;
      case NODE_JOINED ->
          reaching(record.getNodeJoined().getNode(), record.getNodeJoined().getReach());
      case RETRY -> goOn(record, record.getRetry().getHalt(), halts.retried(attempt));
      case ABANDON ->
          goOn(
              record, record.getAbandon().getHalt(), halts.abandoned(attempt, record.getAbandon()));
      case CANCEL -> cancelled(record);
      case ACCESSED, NAMED, CONTRIBUTION -> with(halts.with(halts.answers().with(record, attempt)));
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
    return phase == Phase.CONVERGING && (!resume.hasAttempt() || resume.getAttempt() == attempt);
  }

  /** Whether the halt counts. A halt of an earlier attempt, or from before an answer, does not. */
  private boolean isHaltedBy(Halted halted) {
    return phase != Phase.HALTED
        && (!halted.hasAttempt() || halted.getAttempt() == attempt)
        && (!halted.hasHaltsBefore() || halted.getHaltsBefore() == halts.count());
  }

  /** The predicate whose violations an operator has approved; empty: none. */
  public String approves() {
    return operator.approves() == 0 ? "" : predicate;
  }

  public boolean ackedByAll(int nodes) {
    return acked.size() == nodes;
  }

  /** The nodes that the phase, and all other nodes, wait for. */
  public List<Integer> missing(int nodes) {
    List<Integer> missing =
        IntStream.range(0, nodes)
            .filter(n -> !acked.contains(n) && !halts.ending().stopped().contains(n))
            .boxed()
            .toList();
    return halts.answers().behind(missing);
  }

  /** With a node's failure, if it is of this attempt and was not answered by an operator. */
  private Plan dutyFailed(DutyFailed failure) {
    boolean isOfNow =
        failure.getAttempt() == attempt
            && failure.getHalts() == halts.count()
            && phase != Phase.OPENED
            && phase != Phase.HALTED
            && !acked.contains(failure.getNode());
    return isOfNow ? with(halts.with(halts.answers().with(failure))) : this;
  }

  /** No cut before this HLC can be restored on all nodes that reported their reach. */
  public long reachMax() {
    return reach.values().stream().mapToLong(Long::longValue).max().orElse(0);
  }

  /** Why {@code target} cannot be restored. The target must be before {@link #reachMax}. */
  public String outOfReach(long target) {
    int node =
        reach.entrySet().stream()
            .filter(e -> e.getValue() > target)
            .mapToInt(Map.Entry::getKey)
            .min()
            .orElseThrow();
    return "target %s is out of the reach of node %d, which is back to %s"
        .formatted(Hlc.format(target), node, Hlc.format(reach.getOrDefault(node, 0L)));
  }

  /** Attempts since the opening, or since an operator's latest retry. */
  public int attemptsOfThisTry() {
    return attempt - halts.attemptsBefore() - halts.fallback().rounds();
  }

  /** The plan as a retry would leave it, with all attempts available again. */
  public Plan triedAgain() {
    return with(halts.retried(attempt));
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
    return operator.isOfSome() && attempt > 0 && !affected.ofSome();
  }

  /**
   * Terms that no longer hold on the final cut may hold on cuts before this HLC. If the plan undid
   * only some writes, they may also hold at the target: the write that ended them may be later, and
   * stand.
   */
  public long heldBefore() {
    return isKept() ? clock : affected.ofSome() ? target + 1 : target;
  }

  /** Whether each node has paused. */
  public boolean hasPaused(int nodes) {
    return paused.size() == nodes;
  }

  /** Whether the plan can still be cancelled: the log holds no restore of it. */
  public boolean isCancellable() {
    return attempt == 0 && !isKept();
  }

  private Plan paused(Paused ack) {
    Plan known =
        reaching(ack.getNode(), ack.getReach())
            .withPaused(ack.getNode(), ack.getQuietSince())
            .withClock(ack.getQuietSince())
            .with(affected.with(ack));
    return phase == Phase.PAUSING ? known.acked(ack.getNode()) : known;
  }

  /** With an operator's answer, which counts for one halt. Paused nodes stay paused. */
  private Plan goOn(ControlRecord record, int halt, Halts answered) {
    return phase == Phase.HALTED && halt == halts.count()
        ? enter(Phase.PAUSING, attempt, target, record).with(answered).ackedBy(paused)
        : this;
  }

  /** With an operator's cancellation. Paused nodes stay paused. */
  private Plan cancelled(ControlRecord record) {
    if (!isCancellable()) {
      return this;
    }
    Plan going =
        phase == Phase.HALTED
            ? enter(Phase.PAUSING, attempt, target, record).ackedBy(paused)
            : this;
    return going.with(halts.asCancelled());
  }

  private Plan restore(ControlRecord record) {
    Restore asked = record.getRestore();
    // A node that cannot restore ends the attempt at once; the other answers do not matter.
    boolean failed = phase == Phase.RESTORING && !failure.isEmpty();
    boolean due = phase == Phase.PAUSING || phase == Phase.CONVERGING || failed;
    if (!due || asked.getAttempt() != attempt + 1 || !isOfThisPlan(asked)) {
      return this;
    }
    Plan next =
        enter(Phase.RESTORING, asked.getAttempt(), asked.getTarget(), record)
            .with(halts.with(halts.fallback().with(asked)).with(Answers.NONE))
            .with(affected.restoring(asked.hasAffected()));
    return attempt == 0 ? next.endingBranchAt(asked.getPast()) : next;
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
        phase == Phase.RESTORING || (phase == Phase.CONVERGING && !ack.getFailure().isEmpty());
    if (!isAwaited || ack.getAttempt() != attempt || acked.contains(ack.getNode())) {
      return this;
    }
    // A node that undid no write reports no begin.
    boolean isLater = ack.getBegunAt() > 0 && ack.getBegunAt() < branchEnd;
    Plan known = isLater ? endingBranchAt(0) : this;
    if (!ack.getFailure().isEmpty()) {
      Plan failed = known.with(halts.with(halts.fallback().with(ack)));
      return failure.isEmpty()
          ? failed.withFailure("node " + ack.getNode() + " could not restore: " + ack.getFailure())
          : failed;
    }
    known = known.with(affected.with(ack)).withClock(ack.getClock());
    return ack.getLast() ? known.acked(ack.getNode()) : known;
  }

  private Plan converged(Converged ack) {
    if (phase != Phase.CONVERGING || ack.getAttempt() != attempt || acked.contains(ack.getNode())) {
      return this;
    }
    Plan known =
        ack.getHoldingCount() == 0
            ? this
            : withHolding(new CutPiece(ack.getNode(), ack.getHoldingList()));
    known = known.withClock(ack.getClock()).with(halts.with(halts.fallback().with(ack)));
    known = known.with(affected.with(ack));
    return ack.getLast() ? known.acked(ack.getNode()) : known;
  }

  private Plan enter(Phase next, int nextAttempt, long nextTarget, ControlRecord record) {
    return new Plan(
        epoch,
        predicate,
        violationIds,
        openedMicros,
        nextTarget,
        next,
        nextAttempt,
        record.getAtMicros(),
        paused,
        Set.of(),
        quietSince,
        reach,
        List.of(),
        clock,
        operator,
        branchEnd,
        halts,
        affected,
        "");
  }

  private Plan halted(ControlRecord record) {
    return enter(Phase.HALTED, attempt, target, record)
        .with(halts.halted(record.getHalted()))
        .withFailure(record.getHalted().getReason());
  }

  private Plan acked(int node) {
    if (acked.contains(node)) {
      return this;
    }
    Set<Integer> more = new HashSet<>(acked);
    more.add(node);
    return ackedBy(Collections.unmodifiableSet(more)).with(halts.with(halts.answers().done(node)));
  }

  private Plan ackedBy(Set<Integer> nodes) {
    return with(nodes, reach, holding, clock, failure);
  }

  private Plan withPaused(int node, long quiet) {
    if (paused.contains(node)) {
      return this;
    }
    Set<Integer> more = new HashSet<>(paused);
    more.add(node);
    return with(Collections.unmodifiableSet(more), Math.min(quietSince, quiet), halts);
  }

  private Plan with(AffectedReports newSpread) {
    return newSpread.equals(affected)
        ? this
        : new Plan(
            epoch,
            predicate,
            violationIds,
            openedMicros,
            target,
            phase,
            attempt,
            sinceMicros,
            paused,
            acked,
            quietSince,
            reach,
            holding,
            clock,
            operator,
            branchEnd,
            halts,
            newSpread,
            failure);
  }

  private Plan with(Halts newHalts) {
    return newHalts.equals(halts) ? this : with(paused, quietSince, newHalts);
  }

  private Plan with(Set<Integer> newPaused, long newQuietSince, Halts newHalts) {
    return new Plan(
        epoch,
        predicate,
        violationIds,
        openedMicros,
        target,
        phase,
        attempt,
        sinceMicros,
        newPaused,
        acked,
        newQuietSince,
        reach,
        holding,
        clock,
        operator,
        branchEnd,
        newHalts,
        affected,
        failure);
  }

  private Plan reaching(int node, long hlc) {
    Long known = reach.get(node);
    if (known != null && known == hlc) {
      return this;
    }
    Map<Integer, Long> more = new HashMap<>(reach);
    more.put(node, hlc);
    return with(acked, Collections.unmodifiableMap(more), holding, clock, failure);
  }

  private Plan withHolding(CutPiece piece) {
    List<CutPiece> more = Stream.concat(holding.stream(), Stream.of(piece)).toList();
    return with(acked, reach, more, clock, failure);
  }

  private Plan withClock(long hlc) {
    return hlc <= clock ? this : with(acked, reach, holding, hlc, failure);
  }

  private Plan endingBranchAt(long hlc) {
    return new Plan(
        epoch,
        predicate,
        violationIds,
        openedMicros,
        target,
        phase,
        attempt,
        sinceMicros,
        paused,
        acked,
        quietSince,
        reach,
        holding,
        clock,
        operator,
        hlc,
        halts,
        affected,
        failure);
  }

  private Plan withFailure(String reason) {
    return with(acked, reach, holding, clock, reason);
  }

  private Plan with(
      Set<Integer> newAcked,
      Map<Integer, Long> newReach,
      List<CutPiece> newHolding,
      long newClock,
      String newFailure) {
    return new Plan(
        epoch,
        predicate,
        violationIds,
        openedMicros,
        target,
        phase,
        attempt,
        sinceMicros,
        paused,
        newAcked,
        quietSince,
        newReach,
        newHolding,
        newClock,
        operator,
        branchEnd,
        halts,
        affected,
        newFailure);
  }
}
