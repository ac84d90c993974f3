package io.palinode.orchestrator.plan;

import io.palinode.orchestrator.violations.TouchedInstance;
import io.palinode.wire.v1.Moment;
import io.palinode.wire.v1.PlanOpened;
import java.util.List;
import java.util.Set;

/**
 * What of a plan is an operator's doing.
 *
 * @param request the name under which it was asked for; empty: violations opened it
 * @param undoes the epoch of the plan whose discarded writes it is to bring back; 0: none
 * @param approves the number of the request for approval that it answers; 0: none
 * @param touches the instances that this request is about
 * @param witnesses only what came of these writes is to be undone, or nothing; empty: all is
 * @param comparesAll it undoes nothing, and all keys of all nodes are compared
 */
public record OperatorPart(
    String request,
    long undoes,
    long approves,
    List<TouchedInstance> touches,
    Set<Moment> witnesses,
    boolean comparesAll) {
  public OperatorPart {
    witnesses = Set.copyOf(witnesses);
    touches = List.copyOf(touches);
  }

  public static OperatorPart of(PlanOpened opened) {
    List<TouchedInstance> touches =
        opened.getTouchedList().stream().map(TouchedInstance::of).toList();
    return new OperatorPart(
        opened.getRequest(),
        opened.getUndoes(),
        opened.getApproves(),
        touches,
        Set.copyOf(opened.getWitnessesList()),
        opened.getCompareAll());
  }

  /** An operator asked for it, so it may go back to before the safe point. */
  public boolean isByHand() {
    return !request.isEmpty();
  }

  /** It undoes what came of some writes, or nothing. */
  public boolean isOfSome() {
    return isByHand() && !witnesses.isEmpty();
  }

  public boolean isUndo() {
    return undoes > 0;
  }
}
