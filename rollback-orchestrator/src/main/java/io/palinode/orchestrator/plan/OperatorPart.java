package io.palinode.orchestrator.plan;

import io.palinode.orchestrator.violations.TouchedInstance;
import io.palinode.wire.v1.Moment;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.SnapshotRef;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The part of a plan that an operator requested.
 *
 * @param request the name of the operator's request; empty: violations opened the plan
 * @param undoes the epoch of the plan whose discarded writes are reinstated; 0: none
 * @param snapshot the snapshot to restore; null: the window-logs restore the target
 * @param approved the approval request that the plan answers
 * @param witnesses only writes that depend on these are undone, or no write; empty: all writes
 * @param comparesAll the plan undoes no write and compares all keys of all nodes
 */
public record OperatorPart(
    String request,
    long undoes,
    @Nullable SnapshotRef snapshot,
    Approved approved,
    Set<Moment> witnesses,
    boolean comparesAll) {
  /**
   * An approval request.
   *
   * @param number 0: none
   * @param touches the instances that it names
   */
  record Approved(long number, List<TouchedInstance> touches) {
    Approved {
      touches = List.copyOf(touches);
    }
  }

  public OperatorPart {
    witnesses = Set.copyOf(witnesses);
  }

  public static OperatorPart of(PlanOpened opened) {
    List<TouchedInstance> touches =
        opened.getTouchedList().stream().map(TouchedInstance::of).toList();
    return new OperatorPart(
        opened.getRequest(),
        opened.getUndoes(),
        opened.hasSnapshot() ? opened.getSnapshot() : null,
        new Approved(opened.getApproves(), touches),
        Set.copyOf(opened.getWitnessesList()),
        opened.getCompareAll());
  }

  /** The number of the approval request that the plan answers; 0: none. */
  public long approves() {
    return approved.number;
  }

  /** The instances that the approval request names. */
  public List<TouchedInstance> touches() {
    return approved.touches;
  }

  /**
   * Whether an operator requested the plan. Such a plan may restore a cut before the safe point.
   */
  public boolean isByHand() {
    return !request.isEmpty();
  }

  /** Whether the plan undoes only writes that depend on the witnesses, or no write. */
  public boolean isOfSome() {
    return isByHand() && !witnesses.isEmpty();
  }

  public boolean isUndo() {
    return undoes > 0;
  }
}
