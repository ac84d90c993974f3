package io.palinode.store.control;

import io.palinode.detector.LocalDetector;
import io.palinode.detector.binding.ControlLog;
import io.palinode.detector.binding.StoreKey;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.retroscope.snapshot.RollbackTimes;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import io.palinode.retroscope.snapshot.file.Ref;
import io.palinode.retroscope.snapshot.file.SnapshotException;
import io.palinode.store.affected.Affected;
import io.palinode.store.affected.Everything;
import io.palinode.store.affected.Extent;
import io.palinode.store.binding.ConcernedClients;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.store.binding.RestoreRefusedException;
import io.palinode.store.binding.RestoreRefusedException.Reason;
import io.palinode.store.binding.SequentialKeys;
import io.palinode.store.binding.StoreBinding;
import io.palinode.store.binding.UndoLog.KeyRecord;
import io.palinode.store.binding.UndoLog.Replica;
import io.palinode.store.binding.UndoLog.Restoration;
import io.palinode.store.control.DutyRecords.Undo;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converged;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.KeyVersions;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.SnapshotRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Carries out the commands of {@link NodeControl} on a store, and publishes the node's records.
 * Each command may be repeated, also after a crash in the middle of it. For one thread.
 */
public final class ControlExecution {
  private static final int KEYS_PER_READ = 1024;

  private final StoreBinding store;
  private final LocalDetector detector;
  private final DutyRecords records;
  private final LongSupplier epochMicros;
  private final Runnable awaitRecorded;
  private @Nullable LocalSnapshots snapshots;
  private @Nullable Undo lastUndo;

  /**
   * @param epochMicros wall clock, microseconds since the epoch
   * @param awaitRecorded returns when all partitions of the candidates hold a record of this
   *     incarnation; throws {@link IllegalStateException} after its timeout
   */
  public ControlExecution(
      StoreBinding store,
      LocalDetector detector,
      ControlLog log,
      LongSupplier epochMicros,
      Runnable awaitRecorded) {
    this(store, detector, log, epochMicros, awaitRecorded, Pieces.BYTES_MAX);
  }

  public ControlExecution(
      StoreBinding store,
      LocalDetector detector,
      ControlLog log,
      LongSupplier epochMicros,
      Runnable awaitRecorded,
      int pieceBytesMax) {
    this.store = store;
    this.detector = detector;
    this.records = new DutyRecords(store, log, epochMicros, pieceBytesMax);
    this.epochMicros = epochMicros;
    this.awaitRecorded = awaitRecorded;
  }

  /** Lets the node be restored from its parts of snapshots. */
  public ControlExecution restoringFrom(LocalSnapshots parts) {
    snapshots = parts;
    return this;
  }

  public void pause(long epoch) {
    long quietSince = store.pause(epoch);
    // A restore waits until all nodes have published progress past its target.
    detector.expectProgress();
    records.paused(epoch, quietSince, store.reach(), store.accesses(Long.MAX_VALUE).since());
  }

  void watch(long epoch, long clock) {
    // Openings and writes of the epoch come after every node's undo before it.
    store.pass(clock);
    detector.reset(epoch, clock);
  }

  public void serve(
      long epoch,
      long target,
      long sequentialUntilMicros,
      MissedEpochs missed,
      List<SequentialKeys> sequential) {
    awaitRecorded.run();
    store.sequential(sequential);
    store.resume(epoch, target, sequentialUntilMicros, missed);
    // No plan opened epoch 0, so no orchestrator waits for it.
    if (epoch > 0) {
      records.serving(epoch);
    }
  }

  void join(long epoch) {
    records.joined(epoch, store.reach(), store.watchedOnly(), store.operationsNotJudged());
  }

  /** Call before a plan undoes writes and again after it ends: reads of the past depend on it. */
  public void noteRollbacks(RollbackTimes times) {
    store.rollbacks(times);
  }

  void safePoint(long hlc) {
    store.safePoint(hlc);
  }

  public void restore(long epoch, int attempt, long target, long past) {
    long begun = epochMicros.getAsLong();
    Undo undo = undo(epoch, attempt, past);
    lastUndo = undo;
    try {
      publishRestored(undo, store.restore(epoch, attempt, target), begun);
    } catch (OutOfReachException | RestoreRefusedException e) {
      records.failed(undo, e);
    }
  }

  void publishAccesses(long epoch, Restore asked) {
    records.accessed(epoch, asked, store.accesses(asked.getTarget()));
  }

  void restoreSome(long epoch, Restore asked, Extent extent) {
    long begun = epochMicros.getAsLong();
    Undo undo = undo(epoch, asked.getAttempt(), asked.getPast());
    lastUndo = undo;
    try {
      Restoration restoration = restored(epoch, asked, extent);
      publishRestored(undo.concerning(ConcernedClients.toProto(extent)), restoration, begun);
    } catch (OutOfReachException | RestoreRefusedException e) {
      records.failed(undo, e);
    }
  }

  private Restoration restored(long epoch, Restore asked, @Nullable Extent extent) {
    if (extent instanceof Everything all) {
      throw new RestoreRefusedException(Reason.ONLY_ALL, all.reason());
    }
    return extent instanceof Affected some
        ? store.restore(epoch, asked.getAttempt(), asked.getTarget(), some.keys())
        : store.restore(epoch, asked.getAttempt(), asked.getTarget());
  }

  void restoreFrom(long epoch, Restore asked) {
    long begun = epochMicros.getAsLong();
    Undo undo = undo(epoch, asked.getAttempt(), asked.getPast());
    lastUndo = undo;
    try (OpenSnapshot part = open(asked.getSnapshot())) {
      detector.noteAnyChanged();
      publishSlices(undo, store.restoreFrom(epoch, asked.getAttempt(), part), begun);
    } catch (RestoreRefusedException e) {
      records.failed(undo, e);
    }
  }

  /** Reads the whole part first, so that a damaged one restores nothing. */
  private OpenSnapshot open(SnapshotRef snapshot) {
    LocalSnapshots parts = snapshots;
    if (parts == null) {
      throw new RestoreRefusedException(Reason.NO_SNAPSHOT, "this node keeps no snapshots");
    }
    try {
      return parts.openVerified(new Ref(snapshot.getId(), snapshot.getNumber()));
    } catch (SnapshotException e) {
      throw new RestoreRefusedException(Reason.NO_SNAPSHOT, String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * The node's undo is later than every clock of the paused nodes. A repeat may find the undo done,
   * and a later attempt an earlier one, so each gives the time of the first try.
   */
  private Undo undo(long epoch, int attempt, long past) {
    Undo last = lastUndo;
    long begunAt =
        last != null && last.epoch() == epoch ? last.begunAt() : store.clock().tickPast(past).own();
    return new Undo(epoch, attempt, begunAt);
  }

  public void keep(long epoch, Restore asked) {
    long begun = epochMicros.getAsLong();
    Undo none = new Undo(epoch, asked.getAttempt(), 0);
    try {
      Restoration kept =
          undoesOwnAttempt(epoch, asked)
              ? withoutOwnAttempt(epoch, asked)
              : store.keep(epoch, asked.getAttempt(), asked.getTarget());
      publishRestored(none, kept, begun);
    } catch (RestoreRefusedException e) {
      records.failed(none, e);
    }
  }

  void leaveAsIs(long epoch, int attempt) {
    detector.endEpoch();
    records.leftAsIs(epoch, attempt);
  }

  /** Publishes a {@link FailingDuty}'s answer. */
  public void answer(ControlRecord failed) {
    records.answer(failed);
  }

  /**
   * Keeps the data after an attempt of this plan was begun: restores what the attempt undid, as far
   * as the reach allows.
   */
  private Restoration withoutOwnAttempt(long epoch, Restore asked) {
    try {
      Restoration back = store.restore(epoch, asked.getAttempt(), asked.getPast());
      // The other nodes compare single keys.
      return new Restoration(0, back.changed());
    } catch (OutOfReachException | RestoreRefusedException lost) {
      return store.keep(epoch, asked.getAttempt(), asked.getTarget());
    }
  }

  public void keepAll(long epoch, Restore asked) {
    long begun = epochMicros.getAsLong();
    int attempt = asked.getAttempt();
    // A plan that undoes continues with the undo of an earlier attempt.
    Undo undo =
        asked.getKeep() ? new Undo(epoch, attempt, 0) : undo(epoch, attempt, asked.getPast());
    detector.noteAnyChanged();
    if (undoesOwnAttempt(epoch, asked) && !asked.hasFromSlice()) {
      try {
        var unused = store.restore(epoch, attempt, asked.getPast());
      } catch (OutOfReachException | RestoreRefusedException lost) {
        // The undo stays on this node; other nodes may still have the writes.
      }
    }
    publishSlices(undo, store.keepAll(epoch, attempt), begun);
  }

  private boolean undoesOwnAttempt(long epoch, Restore asked) {
    return asked.getKeep() && asked.getPast() > 0 && store.restoredEpoch() == epoch;
  }

  private void publishRestored(Undo undo, Restoration restoration, long begun) {
    detector.noteChanged(restoration.changed());
    records.restored(undo, restoration, epochMicros.getAsLong() - begun);
  }

  private void publishSlices(Undo undo, Restoration restoration, long begun) {
    records.restoredSlices(undo, restoration, epochMicros.getAsLong() - begun);
  }

  public void name(long epoch, Restore asked, @Nullable Extent extent, Set<KeyGroup> groups) {
    int attempt = asked.getAttempt();
    Restoration restoration;
    try {
      // A repeat only returns the result of the restore.
      restoration = restored(epoch, asked, extent);
    } catch (OutOfReachException | RestoreRefusedException e) {
      // The result is lost. All nodes wait for this answer, so the attempt ends with it.
      records.failed(undo(epoch, attempt, 0), e);
      return;
    }
    Map<StoreKey, Replica> replicas = restoration.replicas();
    List<io.palinode.wire.v1.StoreKey> keys = new ArrayList<>();
    for (StoreKey key : restoration.changed()) {
      Replica here = replicas.get(key);
      // A node that restarted meanwhile does not know the group of a key.
      if (here == null || groups.contains(KeyGroup.of(key, here))) {
        keys.add(LoggedKeys.of(key, here));
      }
    }
    records.named(epoch, attempt, keys);
  }

  void contribute(long epoch, Restore asked, List<StoreKey> keys) {
    List<KeyVersions> entries = new ArrayList<>();
    if (asked.getWhole()) {
      add(store.readSlices(keys, asked.getTarget(), asked.getKeep()), entries);
    } else {
      for (int from = 0; from < keys.size(); from += KEYS_PER_READ) {
        add(store.read(keys.subList(from, Math.min(from + KEYS_PER_READ, keys.size()))), entries);
      }
    }
    records.contributed(epoch, asked.getAttempt(), entries);
  }

  private static void add(List<KeyRecord> found, List<KeyVersions> entries) {
    for (KeyRecord record : found) {
      // An absent key without a past adds nothing to a merge.
      if (record.siblings().length > 0 || record.past().length > 0) {
        entries.add(LoggedKeys.of(record));
      }
    }
  }

  void converge(long epoch, Restore asked, List<KeyRecord> contributed, @Nullable StoreKey rest) {
    converge(epoch, asked, contributed, rest, () -> EndedIntervals.NONE);
  }

  void convergeSome(
      long epoch, Restore asked, Affected extent, Set<Long> standing, List<KeyRecord> contributed) {
    try {
      // A repeat only returns the result of the restore.
      List<StoreKey> changed = restored(epoch, asked, extent).changed();
      converge(
          epoch,
          asked,
          contributed,
          null,
          () -> EndedIntervals.of(store, detector, changed, extent, standing));
    } catch (OutOfReachException | RestoreRefusedException lost) {
      records.failed(undo(epoch, asked.getAttempt(), 0), lost);
    }
  }

  private void converge(
      long epoch,
      Restore asked,
      List<KeyRecord> contributed,
      @Nullable StoreKey rest,
      Supplier<EndedIntervals> endedIntervals) {
    // Before any node resumes: Resume waits for this node's answer.
    detector.endEpoch();
    long changed = store.merge(contributed);
    detector.noteChanged(contributed.stream().map(KeyRecord::key).toList());
    EndedIntervals ended = endedIntervals.get();
    List<IntervalRef> holding =
        asked.hasSinceFrom()
            ? HeldSince.of(store, detector, asked.getSinceFrom(), asked.getTarget())
            : detector.holding();
    Converged.Builder answer =
        Converged.newBuilder()
            .setAttempt(asked.getAttempt())
            .setChangedKeys(changed)
            .setClock(store.clock().last().own());
    if (rest != null) {
      answer.setRest(LoggedKeys.of(rest, null));
    }
    records.converged(epoch, answer.build(), holding, ended);
  }
}
