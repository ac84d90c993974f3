package io.palinode.orchestrator.rest;

import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.snapshot.Schedule;
import io.palinode.orchestrator.snapshot.Snapshot;
import io.palinode.orchestrator.snapshot.SnapshotRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The operations of the API on snapshots. Called by several threads of the server at once. Throws
 * {@link UnavailableException} while an operation is not possible.
 */
public interface SnapshotBackend {
  /** All snapshots, latest first. */
  List<Snapshot> all();

  /** The snapshot of this name; or null. */
  @Nullable Snapshot get(String id);

  /** Its current move, or the last failed one; null: neither. */
  @Nullable Snapshot roll(String id);

  /**
   * Opens a snapshot; returns before it is taken.
   *
   * @throws RefusedException if it cannot be opened
   */
  Snapshot take(SnapshotRequest request) throws RefusedException;

  /** Cancels it. Throws {@link RefusedException} if it is not being taken. */
  void cancel(String id) throws RefusedException;

  Schedule schedule();

  /**
   * Sets the schedule; returns when the control log holds it.
   *
   * @throws RefusedException if the log cannot hold it
   */
  void schedule(Schedule wanted) throws RefusedException;

  /**
   * Deletes it. Throws {@link RefusedException} if it is being taken, or another snapshot needs it.
   */
  void delete(String id) throws RefusedException;
}
