package io.palinode.orchestrator.rest;

import io.palinode.orchestrator.history.Discarded;
import io.palinode.orchestrator.history.RollbackProgress;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.request.PlannedRollback;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.request.RollbackRequest;
import org.jspecify.annotations.Nullable;

/**
 * The operations of the API on rollbacks. Called by several threads of the server at once. Throws
 * {@link UnavailableException} while an operation is not possible.
 */
public interface RollbackBackend {
  /** The rollback of this epoch; null: unknown, or dropped. */
  @Nullable Rollback rollback(long epoch);

  /** The progress of its nodes; null: not among the latest. */
  @Nullable RollbackProgress progress(long epoch);

  /** When clients wrote what it discarded; null: not among the latest. */
  @Nullable Discarded discarded(long epoch);

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
  Rollback rollBack(RollbackRequest request) throws RefusedException;

  /**
   * Approves or rejects a waiting rollback; returns when the control log holds the answer.
   *
   * @throws RefusedException if no such request waits, or its target is out of reach
   */
  void answerRequest(long number, boolean approve) throws RefusedException;

  /**
   * Renews a predicate's budget of rollbacks.
   *
   * @throws RefusedException if it has no budget
   */
  void renewBudget(String predicate) throws RefusedException;

  /**
   * Cancels a rollback; returns when the control log holds that.
   *
   * @throws RefusedException if its first {@code Restore} is in the log
   */
  void cancelRollback(long epoch) throws RefusedException;
}
