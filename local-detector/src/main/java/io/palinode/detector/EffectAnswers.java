package io.palinode.detector;

import io.palinode.detector.affected.Affected;
import io.palinode.detector.affected.Everything;
import io.palinode.detector.affected.Extent;
import io.palinode.detector.affected.Question;
import io.palinode.detector.affected.Trace;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.wire.v1.Accessed;
import io.palinode.wire.v1.ClientAccesses;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.EffectAccessed;
import io.palinode.wire.v1.EffectAsked;
import io.palinode.wire.v1.EffectStep;
import io.palinode.wire.v1.EffectTold;
import io.palinode.wire.v1.Moment;
import io.palinode.wire.v1.Restore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Tells in the control log what a rollback would change at this node. Thread-safe.
 *
 * <p>Of one that undoes only what came of some writes, nodes first tell each other who used which
 * keys, as they do in such a rollback; nothing is paused, so what goes on meanwhile may be missing.
 */
public final class EffectAnswers {
  private final StoreBinding store;
  private final ControlLog log;
  private final LongSupplier epochMicros;

  /**
   * @param epochMicros wall clock, microseconds since the epoch
   */
  public EffectAnswers(StoreBinding store, ControlLog log, LongSupplier epochMicros) {
    this.store = store;
    this.log = log;
    this.epochMicros = epochMicros;
  }

  /** O(changes since the target). */
  public void answer(EffectAsked asked) {
    if (asked.hasAffected()) {
      tellAccesses(asked);
    } else {
      tellAll(asked, "");
    }
  }

  /**
   * Of what came of some writes, once all nodes have told who used which keys. O(changes since the
   * target), and O(n log n) in the accesses since.
   */
  public void answer(EffectAsked asked, List<Accessed> told) {
    Everything unknown = LoggedAccesses.unknown(asked.getTarget(), asked.getAffected(), told);
    if (unknown != null) {
      tellAll(asked, unknown.reason());
      return;
    }
    Map<Long, io.palinode.wire.v1.StoreKey> keys = new LinkedHashMap<>();
    asked.getKeysList().forEach(key -> keys.put(store.accessKey(Comparison.key(key)), key));
    Map<Long, Question.Moment> first =
        LoggedAccesses.firstWrites(asked.getTarget(), told, keys.keySet());
    List<Moment> witnesses = new ArrayList<>(asked.getAffected().getWitnessesList());
    for (Map.Entry<Long, io.palinode.wire.v1.StoreKey> key : keys.entrySet()) {
      Question.Moment write = first.get(key.getKey());
      if (write == null) {
        refuse(asked, "nobody wrote key '%s' after the target".formatted(name(key.getValue())));
        return;
      }
      witnesses.add(Moment.newBuilder().setNode(write.node()).setHlc(write.hlc()).build());
    }
    tell(asked, witnesses, told);
  }

  private static String name(io.palinode.wire.v1.StoreKey key) {
    return key.getKey().toStringUtf8();
  }

  /** A bug, or a store that failed: whoever asked is not to wait for this node. */
  public void failed(EffectAsked asked, RuntimeException why) {
    refuse(asked, String.valueOf(why));
  }

  private void refuse(EffectAsked asked, String why) {
    append(
        EffectTold.newBuilder()
            .setRequest(asked.getRequest())
            .setNode(store.node())
            .setNow(store.clock().last().own())
            .setReach(store.reach())
            .setFailure(why));
  }

  private void tellAccesses(EffectAsked asked) {
    Trace trace = store.accesses(asked.getTarget());
    int count = trace.accesses().size();
    boolean isTold = count <= asked.getAffected().getAccessesMax();
    List<List<ClientAccesses>> pieces =
        Pieces.of(isTold ? LoggedAccesses.byClient(trace) : List.of(), Pieces.BYTES_MAX);
    List<ControlRecord> records = new ArrayList<>();
    for (List<ClientAccesses> piece : pieces) {
      Accessed accessed =
          Accessed.newBuilder()
              .setNode(store.node())
              .setSince(trace.since())
              .addAllClients(piece)
              .setTooMany(isTold ? 0 : count)
              .setLast(records.size() == pieces.size() - 1)
              .build();
      EffectAccessed said =
          EffectAccessed.newBuilder().setRequest(asked.getRequest()).setAccessed(accessed).build();
      records.add(record(EffectStep.newBuilder().setAccessed(said)));
    }
    log.append(records);
  }

  private void tell(EffectAsked asked, List<Moment> witnesses, List<Accessed> told) {
    Restore restore =
        Restore.newBuilder()
            .setTarget(asked.getTarget())
            .setAffected(
                asked.getAffected().toBuilder().clearWitnesses().addAllWitnesses(witnesses))
            .build();
    Extent extent = LoggedAccesses.extent(restore, told);
    if (extent instanceof Affected some) {
      tellSome(asked, witnesses, some);
    } else if (extent instanceof Everything all) {
      tellAll(asked, all.reason());
    }
  }

  private void tellSome(EffectAsked asked, List<Moment> witnesses, Affected some) {
    EffectTold.Builder told = told(asked);
    try {
      add(told, store.effect(asked.getTarget(), except(asked), some.keys()));
      told.addAllClients(some.clients().keySet().stream().sorted().toList())
          .setClientsTotal(some.clients().size())
          .addAllWitnesses(witnesses);
    } catch (OutOfReachException e) {
      // The reach says so.
    }
    append(told.setReach(store.reach()));
  }

  private void tellAll(EffectAsked asked, String because) {
    EffectTold.Builder told = told(asked).setAllBecause(because);
    try {
      UndoEffect effect = store.effect(asked.getTarget(), except(asked));
      add(told, effect);
      told.addAllClients(effect.clients())
          .setClientsTotal(effect.clientsTotal())
          .setClientsSince(effect.clientsSince());
    } catch (OutOfReachException e) {
      // The reach says so.
    }
    append(told.setReach(store.reach()));
  }

  private EffectTold.Builder told(EffectAsked asked) {
    return EffectTold.newBuilder()
        .setRequest(asked.getRequest())
        .setNode(store.node())
        .setNow(store.clock().last().own());
  }

  private static void add(EffectTold.Builder told, UndoEffect effect) {
    told.setWrites(effect.writes())
        .setKeys(effect.keys())
        .setBytes(effect.bytes())
        .setFirstWrites(effect.firstWrites())
        .setFirstKeys(effect.firstKeys());
  }

  private static List<HlcSpan> except(EffectAsked asked) {
    return asked.getExceptList().stream().map(s -> new HlcSpan(s.getFrom(), s.getTo())).toList();
  }

  private void append(EffectTold.Builder told) {
    log.append(List.of(record(EffectStep.newBuilder().setTold(told))));
  }

  private ControlRecord record(EffectStep.Builder step) {
    return ControlRecord.newBuilder().setAtMicros(epochMicros.getAsLong()).setEffect(step).build();
  }
}
