package io.palinode.store.control;

import com.google.protobuf.MessageLite;
import io.palinode.detector.binding.ControlLog;
import io.palinode.detector.binding.NodeClock;
import io.palinode.detector.binding.StoreKey;
import io.palinode.store.affected.Trace;
import io.palinode.store.binding.RestoreRefusedException;
import io.palinode.store.binding.RestoreRefusedException.Reason;
import io.palinode.store.binding.UndoLog.Replica;
import io.palinode.store.binding.UndoLog.Restoration;
import io.palinode.wire.v1.Accessed;
import io.palinode.wire.v1.Concerned;
import io.palinode.wire.v1.Contribution;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converged;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.KeyGroups;
import io.palinode.wire.v1.KeyVersions;
import io.palinode.wire.v1.Named;
import io.palinode.wire.v1.NodeJoined;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Restored;
import io.palinode.wire.v1.Serving;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Publishes a node's records of its control duties, in pieces that Kafka accepts. Each method
 * returns when its records are in the log, and throws as {@link ControlLog#append} does.
 */
final class DutyRecords {
  private final NodeClock node;
  private final ControlLog log;
  private final LongSupplier epochMicros;
  private final int pieceBytesMax;

  DutyRecords(NodeClock node, ControlLog log, LongSupplier epochMicros, int pieceBytesMax) {
    this.node = node;
    this.log = log;
    this.epochMicros = epochMicros;
    this.pieceBytesMax = pieceBytesMax;
  }

  /** An attempt to restore, and the node's HLC when the first attempt of its plan began. */
  record Undo(long epoch, int attempt, long begunAt, @Nullable Concerned concerned) {
    Undo(long epoch, int attempt, long begunAt) {
      this(epoch, attempt, begunAt, null);
    }

    Undo concerning(@Nullable Concerned clients) {
      return new Undo(epoch, attempt, begunAt, clients);
    }
  }

  /**
   * @param accessesSince the start of the access log; {@link Long#MAX_VALUE}: there is none
   */
  void paused(long epoch, long quietSince, long reach, long accessesSince) {
    Paused.Builder paused =
        Paused.newBuilder()
            .setNode(node.node())
            .setIncarnation(node.incarnation())
            .setReach(reach)
            .setQuietSince(quietSince)
            .setAcknowledgesServing(true);
    if (accessesSince != Long.MAX_VALUE) {
      paused.setAccessesSince(accessesSince);
    }
    append(record(epoch).setPaused(paused));
  }

  void serving(long epoch) {
    Serving.Builder serving =
        Serving.newBuilder().setNode(node.node()).setIncarnation(node.incarnation());
    append(record(epoch).setServing(serving));
  }

  void joined(long epoch, long reach, String watchedOnly, String operationsNotJudged) {
    NodeJoined.Builder joined =
        NodeJoined.newBuilder()
            .setNode(node.node())
            .setIncarnation(node.incarnation())
            .setWatchedOnly(watchedOnly)
            .setOperationsNotJudged(operationsNotJudged);
    append(record(epoch).setNodeJoined(joined.setReach(reach)));
  }

  void accessed(long epoch, Restore asked, Trace trace) {
    int count = trace.accesses().size();
    boolean isBounded = count <= asked.getAffected().getAccessesMax();
    append(
        epoch,
        isBounded ? LoggedAccesses.byClient(trace) : List.of(),
        (record, piece, last) ->
            record.setAccessed(
                Accessed.newBuilder()
                    .setNode(node.node())
                    .setAttempt(asked.getAttempt())
                    .setSince(trace.since())
                    .addAllClients(piece)
                    .setTooMany(isBounded ? 0 : count)
                    .setLast(last)));
  }

  /** Names the changed keys by their groups if the node has a digest of them, else singly. */
  void restored(Undo undo, Restoration restoration, long durationMicros) {
    Map<StoreKey, Replica> replicas = restoration.replicas();
    List<StoreKey> singly =
        restoration.changed().stream().filter(key -> !replicas.containsKey(key)).toList();
    restored(undo, restoration, singly, KeyGroup.digests(replicas), durationMicros);
  }

  /** Names each slice by itself. */
  void restoredSlices(Undo undo, Restoration restoration, long durationMicros) {
    restored(undo, restoration, restoration.changed(), List.of(), durationMicros);
  }

  /** Bounds the number of records for any number of keys, as all nodes read them. */
  private void restored(
      Undo undo,
      Restoration restoration,
      List<StoreKey> singly,
      List<KeyGroups> groups,
      long durationMicros) {
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

  /** The node changed nothing and ends the plan with its data. */
  void leftAsIs(long epoch, int attempt) {
    Restored.Builder answer = restored(new Undo(epoch, attempt, 0)).setLast(true);
    answer.setClock(node.clock().last().own());
    append(record(epoch).setRestored(answer));
  }

  /** The node could not restore, or no longer knows what it restored. */
  void failed(Undo undo, RuntimeException why) {
    Restored.Builder failed =
        restored(undo).setFailure(String.valueOf(why.getMessage())).setLast(true);
    if (why instanceof RestoreRefusedException refused) {
      failed.setTooLarge(
          refused.reason() == Reason.TOO_LARGE || refused.reason() == Reason.FORGOTTEN);
    }
    append(record(undo.epoch()).setRestored(failed));
  }

  void named(long epoch, int attempt, List<io.palinode.wire.v1.StoreKey> keys) {
    append(
        epoch,
        keys,
        (record, piece, last) ->
            record.setNamed(
                Named.newBuilder()
                    .setNode(node.node())
                    .setAttempt(attempt)
                    .addAllKeys(piece)
                    .setLast(last)));
  }

  void contributed(long epoch, int attempt, List<KeyVersions> entries) {
    append(
        epoch,
        entries,
        (record, piece, last) ->
            record.setContribution(
                Contribution.newBuilder()
                    .setNode(node.node())
                    .setAttempt(attempt)
                    .addAllEntries(piece)
                    .setLast(last)));
  }

  /**
   * @param answer the part that each piece repeats; the terms that hold are added
   * @param ended intervals that a partial undo opened again, or left ended
   */
  void converged(long epoch, Converged answer, List<IntervalRef> holding, EndedIntervals ended) {
    append(
        epoch,
        holding,
        (record, piece, last) -> {
          Converged.Builder converged =
              answer.toBuilder().setNode(node.node()).addAllHolding(piece).setLast(last);
          if (last) {
            converged.addAllBack(ended.back()).addAllStood(ended.stood());
          }
          record.setConverged(converged);
        });
  }

  /** Publishes a {@link FailingDuty}'s answer. */
  void answer(ControlRecord failed) {
    append(failed.toBuilder().setAtMicros(epochMicros.getAsLong()));
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

  private void append(ControlRecord.Builder record) {
    log.append(List.of(record.build()));
  }

  private Restored.Builder restored(Undo undo) {
    return Restored.newBuilder()
        .setNode(node.node())
        .setAttempt(undo.attempt())
        .setBegunAt(undo.begunAt());
  }

  private ControlRecord.Builder record(long epoch) {
    return ControlRecord.newBuilder().setEpoch(epoch).setAtMicros(epochMicros.getAsLong());
  }
}
