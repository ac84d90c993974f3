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
 * @param nodes those that have answered
 */
public record RollbackProgress(
    long epoch,
    OperatorPart operator,
    Reasons reasons,
    Span span,
    Effect effect,
    SortedMap<Integer, NodeSteps> nodes) {

  /**
   * Why the rollback goes where it goes.
   *
   * @param opening why it was opened
   * @param moves why its target moved, one for each further attempt
   */
  record Reasons(String opening, List<String> moves) {
    private Reasons moved(String why) {
      if (why.isEmpty()) {
        return this;
      }
      List<String> more = new ArrayList<>(moves);
      more.add(why);
      return new Reasons(opening, List.copyOf(more));
    }
  }

  /**
   * The HLCs of the undo.
   *
   * @param target of the last restore; 0: none, or nodes kept their data
   * @param past all nodes began to undo after this HLC; 0: unknown
   * @param clock every undo is before this HLC, every later write after it; 0: not over
   */
  record Span(long target, long past, long clock) {}

  /**
   * Of scope {@code affected}.
   *
   * @param ofSome whether the newest attempt undoes only writes that depend on the witnesses
   * @param concerned the clients concerned, once the rollback is over; else null
   */
  record Effect(boolean ofSome, @Nullable Concerned concerned) {}

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
   * @param reach the earliest HLC that its window-log reads
   * @param convergedKeys keys that converging changed
   */
  public record NodeSteps(Done done, StepMicros micros, long reach, Undo undo, long convergedKeys) {
    private static final NodeSteps NONE =
        new NodeSteps(Done.PAUSED, new StepMicros(0, 0, 0), 0, new Undo(0, 0), 0);

    /** Wall clocks of the node; 0: not yet. */
    public record StepMicros(long paused, long restored, long converged) {}

    /**
     * The node's last undo.
     *
     * @param writes copies of writes, on this node
     * @param micros how long it took
     */
    public record Undo(long writes, long micros) {}

    private NodeSteps paused(Paused ack, long at) {
      StepMicros steps = new StepMicros(at, micros.restored, micros.converged);
      return new NodeSteps(Done.PAUSED, steps, ack.getReach(), undo, convergedKeys);
    }

    private NodeSteps restored(Restored ack, long at) {
      Undo done = new Undo(ack.getUndoneWrites(), ack.getDurationMicros());
      return new NodeSteps(Done.RESTORED, new StepMicros(micros.paused, at, 0), reach, done, 0);
    }

    private NodeSteps done(Done next) {
      return new NodeSteps(next, micros, reach, undo, convergedKeys);
    }

    private NodeSteps converged(Converged ack, long at) {
      StepMicros steps = new StepMicros(micros.paused, micros.restored, at);
      long keys = convergedKeys + ack.getChangedKeys();
      return new NodeSteps(Done.CONVERGED, steps, reach, undo, keys);
    }
  }

  static RollbackProgress opened(ControlRecord record) {
    return new RollbackProgress(
        record.getEpoch(),
        OperatorPart.of(record.getPlanOpened()),
        new Reasons(record.getPlanOpened().getReason(), List.of()),
        new Span(0, 0, 0),
        new Effect(false, null),
        Collections.emptySortedMap());
  }

  public String reason() {
    return reasons.opening;
  }

  public List<String> moves() {
    return reasons.moves;
  }

  long target() {
    return span.target;
  }

  public long past() {
    return span.past;
  }

  long clock() {
    return span.clock;
  }

  public boolean ofSome() {
    return effect.ofSome;
  }

  public @Nullable Concerned concerned() {
    return effect.concerned;
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
    return record.hasRestore() ? restoring(record.getRestore()) : this;
  }

  /** Whether the plan was to undo only some writes and undid none. */
  public boolean isGivenUp() {
    return operator.isOfSome() && span.clock > 0 && !effect.ofSome;
  }

  /**
   * The HLC from which, up to {@code clock}, no client's write is left once the plan is over. If
   * the plan undid only some writes, earlier writes are gone too.
   */
  long goneSince() {
    return !effect.ofSome ? span.target : span.past == 0 ? span.clock : span.past;
  }

  private RollbackProgress resumed(Resume resume) {
    Concerned concerned = resume.hasConcerned() ? resume.getConcerned() : null;
    Span over = new Span(span.target, span.past, resume.getClock());
    Effect known = new Effect(effect.ofSome, concerned);
    return new RollbackProgress(epoch, operator, reasons, over, known, nodes);
  }

  private RollbackProgress restoring(Restore restore) {
    long cut = restore.getKeep() ? 0 : restore.getTarget();
    long first = span.past == 0 ? restore.getPast() : span.past;
    return new RollbackProgress(
        epoch,
        operator,
        reasons.moved(restore.getReason()),
        new Span(cut, first, span.clock),
        new Effect(restore.hasAffected(), effect.concerned),
        nodes);
  }

  private RollbackProgress at(int node, UnaryOperator<NodeSteps> change) {
    SortedMap<Integer, NodeSteps> more = new TreeMap<>(nodes);
    more.put(node, change.apply(more.getOrDefault(node, NodeSteps.NONE)));
    return new RollbackProgress(
        epoch, operator, reasons, span, effect, Collections.unmodifiableSortedMap(more));
  }
}
