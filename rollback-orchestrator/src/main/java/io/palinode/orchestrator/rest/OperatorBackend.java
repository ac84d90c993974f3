package io.palinode.orchestrator.rest;

import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.request.PlannedRollback;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.request.RollbackRequest;
import java.util.Set;

/**
 * The requests and answers of operators. Called by several threads of the server at once. Throws
 * {@link UnavailableException} if the orchestrator has stopped, or Kafka does not answer. The
 * control log has each {@code user} with the record of the request; empty: the API has no users.
 */
public interface OperatorBackend {
  /**
   * Returns the effect of a rollback without changing data; the plan is kept for a while.
   *
   * @throws RefusedException if it is not possible, naming the possible times
   */
  PlannedRollback plan(RollbackRequest request) throws RefusedException;

  /**
   * A planned rollback with its latest effect.
   *
   * @throws RefusedException if it is unknown, or not possible any more
   */
  PlannedRollback plannedNow(String id) throws RefusedException;

  /**
   * A planned rollback as it was first shown.
   *
   * @throws RefusedException if it is unknown
   */
  PlannedRollback planned(String id) throws RefusedException;

  /**
   * Opens a rollback; returns when the control log holds it, before its end.
   *
   * @throws RefusedException if it is not possible, or another one is open
   */
  Rollback run(RollbackRequest request, String user) throws RefusedException;

  /**
   * Approves or rejects a waiting rollback; returns when the control log holds the answer.
   *
   * @throws RefusedException if no such request waits, or its target is out of reach
   */
  void answer(long number, boolean approve, String user) throws RefusedException;

  /**
   * Renews a predicate's budget of rollbacks.
   *
   * @throws RefusedException if it has no budget
   */
  void renew(String predicate, String user) throws RefusedException;

  /**
   * Cancels a rollback; returns when the control log holds that.
   *
   * @throws RefusedException if its first {@code Restore} is in the log
   */
  void cancel(long epoch, String user) throws RefusedException;

  /**
   * Retries a halted rollback, or abandons an open one; returns before it ends.
   *
   * @throws RefusedException if it is not open, or not halted, or this cannot help it
   */
  void intervene(long epoch, Intervention intervention, String user) throws RefusedException;

  /**
   * Asks for the end of an open rollback with the data that each node has; returns before it ends.
   *
   * @param stopped nodes that do not run
   * @throws RefusedException if there is no such rollback or node, or all nodes are stopped
   */
  void endAsIs(long epoch, Set<Integer> stopped, String user) throws RefusedException;

  /**
   * Acknowledges all coverage gaps up to this number, and abandoned plans. Returns when the control
   * log holds that.
   */
  void acknowledge(long toNumber, String user);
}
