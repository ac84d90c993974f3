package io.palinode.store.control;

import com.google.protobuf.MessageLite;
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
import io.palinode.store.affected.Trace;
import io.palinode.store.binding.ConcernedClients;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.store.binding.RestoreRefusedException;
import io.palinode.store.binding.RestoreRefusedException.Reason;
import io.palinode.store.binding.SequentialKeys;
import io.palinode.store.binding.StoreBinding;
import io.palinode.store.binding.UndoLog.KeyRecord;
import io.palinode.store.binding.UndoLog.Replica;
import io.palinode.store.binding.UndoLog.Restoration;
import io.palinode.wire.v1.Accessed;
import io.palinode.wire.v1.Concerned;
import io.palinode.wire.v1.Contribution;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converged;
import io.palinode.wire.v1.KeyGroups;
import io.palinode.wire.v1.KeyVersions;
import io.palinode.wire.v1.Named;
import io.palinode.wire.v1.NodeJoined;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Restored;
import io.palinode.wire.v1.Serving;
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
  private final ControlLog log;
  private final LongSupplier epochMicros;
  private final Runnable awaitRecorded;
  private final int pieceBytesMax;
  private @Nullable LocalSnapshots snapshots;
  private @Nullable Undo lastUndo;

  /** An attempt to restore, and the node's HLC when the first attempt of its plan began. */
  private record Undo(long epoch, int attempt, long begunAt, @Nullable Concerned concerned) {
    Undo(long epoch, int attempt, long begunAt) {
      this(epoch, attempt, begunAt, null);
    }

    Undo concerning(@Nullable Concerned clients) {
      return new Undo(epoch, attempt, begunAt, clients);
    }
  }

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
    this.log = log;
    this.epochMicros = epochMicros;
    this.awaitRecorded = awaitRecorded;
    this.pieceBytesMax = pieceBytesMax;
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
    Paused.Builder paused =
        Paused.newBuilder()
            .setNode(store.node())
            .setIncarnation(store.incarnation())
            .setReach(store.reach())
            .setQuietSince(quietSince)
            .setAcknowledgesServing(true);
    long accessesSince = store.accesses(Long.MAX_VALUE).since();
    if (accessesSince != Long.MAX_VALUE) {
      paused.setAccessesSince(accessesSince);
    }
    log.append(List.of(record(epoch).setPaused(paused).build()));
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
      Serving serving =
          Serving.newBuilder().setNode(store.node()).setIncarnation(store.incarnation()).build();
      log.append(List.of(record(epoch).setServing(serving).build()));
    }
  }

  void join(long epoch) {
    NodeJoined.Builder joined =
        NodeJoined.newBuilder().setNode(store.node()).setIncarnation(store.incarnation());
    log.append(List.of(record(epoch).setNodeJoined(joined.setReach(store.reach())).build()));
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
      publishFailure(undo, e);
    }
  }

  void publishAccesses(long epoch, Restore asked) {
    Trace trace = store.accesses(asked.getTarget());
    int count = trace.accesses().size();
    boolean isBounded = count <= asked.getAffected().getAccessesMax();
    append(
        epoch,
        isBounded ? LoggedAccesses.byClient(trace) : List.of(),
        (record, piece, last) ->
            record.setAccessed(
                Accessed.newBuilder()
                    .setNode(store.node())
                    .setAttempt(asked.getAttempt())
                    .setSince(trace.since())
                    .addAllClients(piece)
                    .setTooMany(isBounded ? 0 : count)
                    .setLast(last)));
  }

  void restoreSome(long epoch, Restore asked, Extent extent) {
    long begun = epochMicros.getAsLong();
    Undo undo = undo(epoch, asked.getAttempt(), asked.getPast());
    lastUndo = undo;
    try {
      Restoration restoration = restored(epoch, asked, extent);
      publishRestored(undo.concerning(ConcernedClients.toProto(extent)), restoration, begun);
    } catch (OutOfReachException | RestoreRefusedException e) {
      publishFailure(undo, e);
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
      publishFailure(undo, e);
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

  private void publishFailure(Undo undo, RuntimeException why) {
    Restored.Builder failed =
        restored(undo).setFailure(String.valueOf(why.getMessage())).setLast(true);
    if (why instanceof RestoreRefusedException refused) {
      failed.setTooLarge(
          refused.reason() == Reason.TOO_LARGE || refused.reason() == Reason.FORGOTTEN);
    }
    log.append(List.of(record(undo.epoch()).setRestored(failed).build()));
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
      publishFailure(none, e);
    }
  }

  void leaveAsIs(long epoch, int attempt) {
    detector.endEpoch();
    Restored.Builder answer = restored(new Undo(epoch, attempt, 0)).setLast(true);
    answer.setClock(store.clock().last().own());
    log.append(List.of(record(epoch).setRestored(answer).build()));
  }

  /** Publishes a {@link FailingDuty}'s answer. */
  public void answer(ControlRecord failed) {
    log.append(List.of(failed.toBuilder().setAtMicros(epochMicros.getAsLong()).build()));
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
    return asked.getKeep()
        && asked.getRestart()
        && asked.getPast() > 0
        && store.restoredEpoch() == epoch;
  }

  private void publishRestored(Undo undo, Restoration restoration, long begun) {
    detector.noteChanged(restoration.changed());
    Map<StoreKey, Replica> replicas = restoration.replicas();
    List<StoreKey> singly =
        restoration.changed().stream().filter(key -> !replicas.containsKey(key)).toList();
    publish(undo, restoration, singly, KeyGroup.digests(replicas), begun);
  }

  /** Names each slice by itself. */
  private void publishSlices(Undo undo, Restoration restoration, long begun) {
    publish(undo, restoration, restoration.changed(), List.of(), begun);
  }

  /** Bounds the number of records for any number of keys, as all nodes read them. */
  private void publish(
      Undo undo,
      Restoration restoration,
      List<StoreKey> singly,
      List<KeyGroups> groups,
      long begun) {
    long durationMicros = epochMicros.getAsLong() - begun;
    List<io.palinode.wire.v1.StoreKey> keys =
        singly.stream().map(key -> LoggedKeys.of(key, restoration.replicas().get(key))).toList();
    List<List<io.palinode.wire.v1.StoreKey>> keyPieces = Pieces.of(keys, pieceBytesMax / 2);
    List<List<KeyGroups>> groupPieces = Pieces.of(groups, pieceBytesMax / 2);
    List<ControlRecord> records = new ArrayList<>();
    int count = Math.max(keyPieces.size(), groupPieces.size());
    for (int i = 0; i < count; i++) {
      Restored.Builder piece =
          restored(undo)
              .setUndoneWrites(restoration.undoneWrites())
              .setDurationMicros(durationMicros)
              .setLast(i == count - 1);
      if (i < keyPieces.size()) {
        piece.addAllChanged(keyPieces.get(i));
      }
      if (i < groupPieces.size()) {
        piece.addAllGroups(groupPieces.get(i));
      }
      if (i == count - 1 && undo.concerned() != null) {
        piece.setConcerned(undo.concerned());
      }
      records.add(record(undo.epoch()).setRestored(piece).build());
    }
    log.append(records);
  }

  public void name(long epoch, Restore asked, @Nullable Extent extent, Set<KeyGroup> groups) {
    int attempt = asked.getAttempt();
    Restoration restoration;
    try {
      // A repeat only returns the result of the restore.
      restoration = restored(epoch, asked, extent);
    } catch (OutOfReachException | RestoreRefusedException e) {
      // The result is lost. All nodes wait for this answer, so the attempt ends with it.
      publishFailure(undo(epoch, attempt, 0), e);
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
    append(
        epoch,
        keys,
        (record, piece, last) ->
            record.setNamed(
                Named.newBuilder()
                    .setNode(store.node())
                    .setAttempt(attempt)
                    .addAllKeys(piece)
                    .setLast(last)));
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
    append(
        epoch,
        entries,
        (record, piece, last) ->
            record.setContribution(
                Contribution.newBuilder()
                    .setNode(store.node())
                    .setAttempt(asked.getAttempt())
                    .addAllEntries(piece)
                    .setLast(last)));
  }

  private static void add(List<KeyRecord> found, List<KeyVersions> entries) {
    for (KeyRecord record : found) {
      // An absent key without a past adds nothing to a merge.
      if (record.siblings().length > 0 || record.past().length > 0) {
        entries.add(LoggedKeys.of(record));
      }
    }
  }

  void converge(long epoch, int attempt, List<KeyRecord> contributed, @Nullable StoreKey rest) {
    converge(epoch, attempt, contributed, rest, () -> EndedIntervals.NONE);
  }

  void convergeSome(
      long epoch, Restore asked, Affected extent, Set<Long> standing, List<KeyRecord> contributed) {
    try {
      // A repeat only returns the result of the restore.
      List<StoreKey> changed = restored(epoch, asked, extent).changed();
      converge(
          epoch,
          asked.getAttempt(),
          contributed,
          null,
          () -> EndedIntervals.of(store, detector, changed, extent, standing));
    } catch (OutOfReachException | RestoreRefusedException lost) {
      publishFailure(undo(epoch, asked.getAttempt(), 0), lost);
    }
  }

  private void converge(
      long epoch,
      int attempt,
      List<KeyRecord> contributed,
      @Nullable StoreKey rest,
      Supplier<EndedIntervals> endedIntervals) {
    // Before any node resumes: Resume waits for this node's answer.
    detector.endEpoch();
    long changed = store.merge(contributed);
    detector.noteChanged(contributed.stream().map(KeyRecord::key).toList());
    EndedIntervals ended = endedIntervals.get();
    append(
        epoch,
        detector.holding(),
        (record, piece, last) -> {
          Converged.Builder converged =
              Converged.newBuilder()
                  .setNode(store.node())
                  .setAttempt(attempt)
                  .setChangedKeys(changed)
                  .setClock(store.clock().last().own())
                  .addAllHolding(piece)
                  .setLast(last);
          if (rest != null) {
            converged.setRest(LoggedKeys.of(rest, null));
          }
          if (last) {
            converged.addAllBack(ended.back()).addAllStood(ended.stood());
          }
          record.setConverged(converged);
        });
  }

  @FunctionalInterface
  private interface PieceOf<M> {
    void set(ControlRecord.Builder record, List<M> piece, boolean last);
  }

  private <M extends MessageLite> void append(long epoch, List<M> elements, PieceOf<M> pieceOf) {
    List<List<M>> pieces = Pieces.of(elements, pieceBytesMax);
    List<ControlRecord> records = new ArrayList<>();
    for (List<M> piece : pieces) {
      ControlRecord.Builder record = record(epoch);
      pieceOf.set(record, piece, records.size() == pieces.size() - 1);
      records.add(record.build());
    }
    log.append(records);
  }

  private Restored.Builder restored(Undo undo) {
    return Restored.newBuilder()
        .setNode(store.node())
        .setAttempt(undo.attempt())
        .setBegunAt(undo.begunAt());
  }

  private ControlRecord.Builder record(long epoch) {
    return ControlRecord.newBuilder().setEpoch(epoch).setAtMicros(epochMicros.getAsLong());
  }
}
