package io.palinode.orchestrator;

import io.palinode.wire.v1.PlanOpened;

/**
 * What of a plan is an operator's doing.
 *
 * @param request the name under which it was asked for; empty: violations opened it
 * @param undoes the epoch of the plan whose discarded writes it is to bring back; 0: none
 * @param approves the number of the request for approval that it answers; 0: none
 */
public record Hand(String request, long undoes, long approves) {
  static Hand of(PlanOpened opened) {
    return new Hand(opened.getRequest(), opened.getUndoes(), opened.getApproves());
  }

  /** An operator asked for it, so it may go back to before the safe point. */
  public boolean isByHand() {
    return !request.isEmpty();
  }

  boolean isUndo() {
    return undoes > 0;
  }
}
