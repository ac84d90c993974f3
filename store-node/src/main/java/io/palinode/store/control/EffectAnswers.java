package io.palinode.store.control;

import io.palinode.detector.binding.ControlLog;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.store.affected.Affected;
import io.palinode.store.affected.Everything;
import io.palinode.store.affected.Extent;
import io.palinode.store.affected.Question;
import io.palinode.store.affected.Trace;
import io.palinode.store.binding.HlcSpan;
import io.palinode.store.binding.UndoEffect;
import io.palinode.store.binding.UndoEffect.Count;
import io.palinode.store.binding.UndoLog;
import io.palinode.wire.v1.Accessed;
import io.palinode.wire.v1.ClientAccesses;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.EffectAccessed;
import io.palinode.wire.v1.EffectAsked;
import io.palinode.wire.v1.EffectReported;
import io.palinode.wire.v1.EffectStep;
import io.palinode.wire.v1.Moment;
import io.palinode.wire.v1.OfReplicas;
import io.palinode.wire.v1.Restore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Publishes in the control log what a rollback would change on this node. Thread-safe.
 *
 * <p>For a partial rollback, nodes first publish their access logs, as in such a rollback. No node
 * is paused, so concurrent accesses may be missing.
 */
public final class EffectAnswers {
  private static final int REPLICAS_MAX = 1_000;

  private final UndoLog store;
  private final ControlLog log;
  private final LongSupplier epochMicros;

  /**
   * @param epochMicros wall clock, microseconds since the epoch
   */
  public EffectAnswers(UndoLog store, ControlLog log, LongSupplier epochMicros) {
    this.store = store;
    this.log = log;
    this.epochMicros = epochMicros;
  }

  /** Answers at once, or publishes the access log first. O(changes since the target). */
  public void answer(EffectAsked asked) {
    if (asked.hasAffected()) {
      publishAccesses(asked);
    } else {
      answerAll(asked, "");
    }
  }

  /**
   * Answers for a partial rollback, from the access logs of all nodes. O(changes since the target),
   * and O(n log n) in the accesses since.
   */
  public void answer(EffectAsked asked, List<Accessed> accessed) {
    Everything unknown = LoggedAccesses.unknown(asked.getTarget(), asked.getAffected(), accessed);
    if (unknown != null) {
      answerAll(asked, unknown.reason());
      return;
    }
    Map<Long, io.palinode.wire.v1.StoreKey> keys = new LinkedHashMap<>();
    asked.getKeysList().forEach(key -> keys.put(store.accessKey(Comparison.key(key)), key));
    Map<Long, Question.Moment> first =
        LoggedAccesses.firstWrites(asked.getTarget(), accessed, keys.keySet());
    List<Moment> witnesses = new ArrayList<>(asked.getAffected().getWitnessesList());
    for (Map.Entry<Long, io.palinode.wire.v1.StoreKey> key : keys.entrySet()) {
      Question.Moment write = first.get(key.getKey());
      if (write == null) {
        refuse(asked, "no client wrote key '%s' after the target".formatted(name(key.getValue())));
        return;
      }
      witnesses.add(Moment.newBuilder().setNode(write.node()).setHlc(write.hlc()).build());
    }
    answerFrom(asked, witnesses, accessed);
  }

  private static String name(io.palinode.wire.v1.StoreKey key) {
    return key.getKey().toStringUtf8();
  }

  /** Publishes a failure, so that the orchestrator does not wait for this node. */
  public void failed(EffectAsked asked, RuntimeException why) {
    refuse(asked, String.valueOf(why));
  }

  private void refuse(EffectAsked asked, String why) {
    append(
        EffectReported.newBuilder()
            .setRequest(asked.getRequest())
            .setNode(store.node())
            .setNow(store.clock().last().own())
            .setReach(store.reach())
            .setFailure(why));
  }

  private void publishAccesses(EffectAsked asked) {
    Trace trace = store.accesses(asked.getTarget());
    int count = trace.accesses().size();
    boolean isBounded = count <= asked.getAffected().getAccessesMax();
    List<List<ClientAccesses>> pieces =
        Pieces.of(isBounded ? LoggedAccesses.byClient(trace) : List.of(), Pieces.BYTES_MAX);
    List<ControlRecord> records = new ArrayList<>();
    for (List<ClientAccesses> piece : pieces) {
      Accessed accessed =
          Accessed.newBuilder()
              .setNode(store.node())
              .setSince(trace.since())
              .addAllClients(piece)
              .setTooMany(isBounded ? 0 : count)
              .setLast(records.size() == pieces.size() - 1)
              .build();
      EffectAccessed published =
          EffectAccessed.newBuilder().setRequest(asked.getRequest()).setAccessed(accessed).build();
      records.add(record(EffectStep.newBuilder().setAccessed(published)));
    }
    log.append(records);
  }

  private void answerFrom(EffectAsked asked, List<Moment> witnesses, List<Accessed> accessed) {
    Restore restore =
        Restore.newBuilder()
            .setTarget(asked.getTarget())
            .setAffected(
                asked.getAffected().toBuilder().clearWitnesses().addAllWitnesses(witnesses))
            .build();
    Extent extent = LoggedAccesses.extent(restore, accessed);
    if (extent instanceof Affected some) {
      answerSome(asked, witnesses, some);
    } else if (extent instanceof Everything all) {
      answerAll(asked, all.reason());
    }
  }

  private void answerSome(EffectAsked asked, List<Moment> witnesses, Affected some) {
    EffectReported.Builder answer = answerTo(asked);
    try {
      add(answer, store.effect(asked.getTarget(), except(asked), some.keys()));
      answer
          .addAllClients(some.clients().keySet().stream().sorted().toList())
          .setClientsTotal(some.clients().size())
          .addAllWitnesses(witnesses);
    } catch (OutOfReachException e) {
      // The reach in the answer shows this.
    }
    append(answer.setReach(store.reach()));
  }

  private void answerAll(EffectAsked asked, String because) {
    EffectReported.Builder answer = answerTo(asked).setAllBecause(because);
    try {
      UndoEffect effect = store.effect(asked.getTarget(), except(asked));
      add(answer, effect);
      answer
          .addAllClients(effect.clients())
          .setClientsTotal(effect.clientsTotal())
          .setClientsSince(effect.clientsSince());
    } catch (OutOfReachException e) {
      // The reach in the answer shows this.
    }
    append(answer.setReach(store.reach()));
  }

  private EffectReported.Builder answerTo(EffectAsked asked) {
    return EffectReported.newBuilder()
        .setRequest(asked.getRequest())
        .setNode(store.node())
        .setNow(store.clock().last().own());
  }

  private void add(EffectReported.Builder answer, UndoEffect effect) {
    answer.setWrites(effect.writes()).setKeys(effect.keys()).setBytes(effect.bytes());
    effect.ofReplicas().forEach((replicas, count) -> add(answer, replicas, count));
    if (answer.getOfReplicasCount() > REPLICAS_MAX) {
      answer.clearOfReplicas();
    }
  }

  private void add(EffectReported.Builder answer, List<Integer> replicas, Count count) {
    if (replicas.indexOf(store.node()) == 0) {
      answer
          .setFirstWrites(answer.getFirstWrites() + count.writes())
          .setFirstKeys(answer.getFirstKeys() + count.keys());
    }
    answer.addOfReplicas(
        OfReplicas.newBuilder()
            .addAllNodes(replicas)
            .setWrites(count.writes())
            .setKeys(count.keys()));
  }

  private static List<HlcSpan> except(EffectAsked asked) {
    return asked.getExceptList().stream().map(s -> new HlcSpan(s.getFrom(), s.getTo())).toList();
  }

  private void append(EffectReported.Builder answer) {
    log.append(List.of(record(EffectStep.newBuilder().setReported(answer))));
  }

  private ControlRecord record(EffectStep.Builder step) {
    return ControlRecord.newBuilder().setAtMicros(epochMicros.getAsLong()).setEffect(step).build();
  }
}
