package io.palinode.orchestrator.rest;

import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.snapshot.Schedule;
import io.palinode.orchestrator.snapshot.Snapshot;
import io.palinode.orchestrator.snapshot.SnapshotRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The snapshots that the API speaks for. Called by the server's threads, several at once. What
 * cannot be done now is an {@link UnavailableException}.
 */
public interface SnapshotBackend {
  /** The latest first. */
  List<Snapshot> snapshots();

  /** Null when there is none of this name. */
  @Nullable Snapshot snapshot(String id);

  /** Its move that is under way, or that failed last; null: neither. */
  @Nullable Snapshot roll(String id);

  /**
   * Opens a snapshot; returns before it is taken.
   *
   * @throws RefusedException when it cannot be
   */
  Snapshot takeSnapshot(SnapshotRequest request) throws RefusedException;

  /** Wants no more of it. Throws {@link RefusedException} when it is not being taken. */
  void cancelSnapshot(String id) throws RefusedException;

  Schedule snapshotSchedule();

  /**
   * Returns when the control log has it.
   *
   * @throws RefusedException when the log cannot have it
   */
  void scheduleSnapshots(Schedule wanted) throws RefusedException;

  /** Throws {@link RefusedException} when it is being taken, or another one needs it. */
  void deleteSnapshot(String id) throws RefusedException;
}
