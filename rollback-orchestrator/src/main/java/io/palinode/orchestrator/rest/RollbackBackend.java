package io.palinode.orchestrator.rest;

import io.palinode.orchestrator.history.Discarded;
import io.palinode.orchestrator.history.RollbackProgress;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.request.PlannedRollback;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.request.RollbackRequest;
import org.jspecify.annotations.Nullable;

/**
 * The rollbacks that the API speaks for, and those that are asked for by hand. Called by the
 * server's threads, several at once. What cannot be done now is an {@link UnavailableException}.
 */
public interface RollbackBackend {
  /** The one that opened, or opens, this epoch; null when none is known. */
  @Nullable Rollback rollback(long epoch);

  /** How far its nodes are; null when it is not one of the latest. */
  @Nullable RollbackProgress progress(long epoch);

  /** When clients wrote what it discarded; null when it is not one of the latest. */
  @Nullable Discarded discarded(long epoch);

  /**
   * What it would do; changes nothing, and is remembered for a while.
   *
   * @throws RefusedException when it cannot be done, with the times that can be gone back to
   */
  PlannedRollback plan(RollbackRequest wish) throws RefusedException;

  /**
   * What was planned, and what it would do now.
   *
   * @throws RefusedException when it is not known, or cannot be done any more
   */
  PlannedRollback plannedNow(String id) throws RefusedException;

  /**
   * What was planned, as it was told then.
   *
   * @throws RefusedException when it is not known
   */
  PlannedRollback planned(String id) throws RefusedException;

  /**
   * Opens it; returns when the control log has it, before it is done.
   *
   * @throws RefusedException when it cannot be done or written, or another one is under way
   */
  Rollback rollBack(RollbackRequest wish) throws RefusedException;

  /**
   * Opens a rollback that waits for approval, or lets its violations stand; returns when the
   * control log has it.
   *
   * @throws RefusedException when none of that number waits, or it is out of reach by now
   */
  void answerRequest(long number, boolean approve) throws RefusedException;

  /**
   * Lets a predicate's budget of rollbacks begin anew.
   *
   * @throws RefusedException when it has none
   */
  void renewBudget(String predicate) throws RefusedException;

  /**
   * Wants no more of it; returns when that is in the control log.
   *
   * @throws RefusedException when nodes were told to restore already
   */
  void cancelRollback(long epoch) throws RefusedException;
}
