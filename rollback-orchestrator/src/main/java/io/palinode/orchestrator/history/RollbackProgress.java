package io.palinode.orchestrator.history;

import io.palinode.orchestrator.plan.OperatorPart;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.wire.v1.Concerned;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converged;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Restored;
import io.palinode.wire.v1.Resume;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Why a plan was opened, and how far each node is. Immutable. {@link Rollback} shows the plan as a
 * whole.
 *
 * @param reason why it was opened
 * @param moves why its target moved, one for each further attempt
 * @param target of the last restore; 0: none, or nodes kept their data
 * @param past all nodes began to undo after this HLC; 0: unknown
 * @param clock every undo is before this HLC, every later write after it; 0: not over
 * @param ofSome whether the newest attempt undoes only writes that depend on the witnesses
 * @param concerned the clients concerned, once the rollback is over; else null
 * @param nodes those that have answered
 */
public record RollbackProgress(
    long epoch,
    OperatorPart operator,
    String reason,
    List<String> moves,
    long target,
    long past,
    long clock,
    boolean ofSome,
    @Nullable Concerned concerned,
    SortedMap<Integer, NodeSteps> nodes) {

  /** The last step of the newest attempt that a node has completed. */
  public enum Done {
    PAUSED,
    RESTORED,
    NAMED,
    CONTRIBUTED,
    CONVERGED
  }

  /**
   * The steps of one node.
   *
   * @param pausedMicros wall clock of the node at its pause; the other steps follow; 0: not yet
   * @param reach the earliest HLC that its window-log reads
   * @param undoneWrites copies of writes, on this node
   * @param undoMicros how long its last undo took
   * @param convergedKeys keys that converging changed
   */
  public record NodeSteps(
      Done done,
      long pausedMicros,
      long restoredMicros,
      long convergedMicros,
      long reach,
      long undoneWrites,
      long undoMicros,
      long convergedKeys) {
    private static final NodeSteps NONE = new NodeSteps(Done.PAUSED, 0, 0, 0, 0, 0, 0, 0);

    private NodeSteps paused(Paused ack, long at) {
      return new NodeSteps(
          Done.PAUSED,
          at,
          restoredMicros,
          convergedMicros,
          ack.getReach(),
          undoneWrites,
          undoMicros,
          convergedKeys);
    }

    private NodeSteps restored(Restored ack, long at) {
      return new NodeSteps(
          Done.RESTORED,
          pausedMicros,
          at,
          0,
          reach,
          ack.getUndoneWrites(),
          ack.getDurationMicros(),
          0);
    }

    private NodeSteps done(Done next) {
      return new NodeSteps(
          next,
          pausedMicros,
          restoredMicros,
          convergedMicros,
          reach,
          undoneWrites,
          undoMicros,
          convergedKeys);
    }

    private NodeSteps converged(Converged ack, long at) {
      return new NodeSteps(
          Done.CONVERGED,
          pausedMicros,
          restoredMicros,
          at,
          reach,
          undoneWrites,
          undoMicros,
          convergedKeys + ack.getChangedKeys());
    }
  }

  static RollbackProgress opened(ControlRecord record) {
    return new RollbackProgress(
        record.getEpoch(),
        OperatorPart.of(record.getPlanOpened()),
        record.getPlanOpened().getReason(),
        List.of(),
        0,
        0,
        0,
        false,
        null,
        Collections.emptySortedMap());
  }

  RollbackProgress after(ControlRecord record) {
    long at = record.getAtMicros();
    if (record.hasPaused()) {
      return at(record.getPaused().getNode(), n -> n.paused(record.getPaused(), at));
    }
    if (record.hasRestored() && record.getRestored().getLast()) {
      return at(record.getRestored().getNode(), n -> n.restored(record.getRestored(), at));
    }
    if (record.hasConverged() && record.getConverged().getLast()) {
      return at(record.getConverged().getNode(), n -> n.converged(record.getConverged(), at));
    }
    if (record.hasNamed() && record.getNamed().getLast()) {
      return at(record.getNamed().getNode(), n -> n.done(Done.NAMED));
    }
    if (record.hasContribution() && record.getContribution().getLast()) {
      return at(record.getContribution().getNode(), n -> n.done(Done.CONTRIBUTED));
    }
    if (record.hasResume()) {
      return resumed(record.getResume());
    }
    return record.hasRestore() ? restoring(record) : this;
  }

  /** Whether the plan was to undo only some writes and undid none. */
  public boolean isGivenUp() {
    return operator.isOfSome() && clock > 0 && !ofSome;
  }

  /**
   * The HLC from which, up to {@code clock}, no client's write is left once the plan is over. If
   * the plan undid only some writes, earlier writes are gone too.
   */
  long goneSince() {
    return !ofSome ? target : past == 0 ? clock : past;
  }

  private RollbackProgress resumed(Resume resume) {
    Concerned concernedNow = resume.hasConcerned() ? resume.getConcerned() : null;
    return new RollbackProgress(
        epoch,
        operator,
        reason,
        moves,
        target,
        past,
        resume.getClock(),
        ofSome,
        concernedNow,
        nodes);
  }

  private RollbackProgress restoring(ControlRecord record) {
    List<String> more = new ArrayList<>(moves);
    if (!record.getRestore().getReason().isEmpty()) {
      more.add(record.getRestore().getReason());
    }
    Restore restore = record.getRestore();
    long cut = restore.getKeep() ? 0 : restore.getTarget();
    long first = past == 0 ? restore.getPast() : past;
    return new RollbackProgress(
        epoch,
        operator,
        reason,
        List.copyOf(more),
        cut,
        first,
        clock,
        restore.hasAffected(),
        concerned,
        nodes);
  }

  private RollbackProgress at(int node, UnaryOperator<NodeSteps> change) {
    SortedMap<Integer, NodeSteps> more = new TreeMap<>(nodes);
    more.put(node, change.apply(more.getOrDefault(node, NodeSteps.NONE)));
    return new RollbackProgress(
        epoch,
        operator,
        reason,
        moves,
        target,
        past,
        clock,
        ofSome,
        concerned,
        Collections.unmodifiableSortedMap(more));
  }
}
