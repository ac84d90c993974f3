package io.palinode.detector;

import io.palinode.retroscope.OutOfReachException;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.EffectAsked;
import io.palinode.wire.v1.EffectStep;
import io.palinode.wire.v1.EffectTold;
import java.util.List;
import java.util.function.LongSupplier;

/** Tells in the control log what a rollback would change at this node. Thread-safe. */
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
    EffectTold.Builder told =
        EffectTold.newBuilder()
            .setRequest(asked.getRequest())
            .setNode(store.node())
            .setNow(store.clock().last().own());
    try {
      add(told, asked);
    } catch (OutOfReachException e) {
      // The reach says so.
    }
    append(told.setReach(store.reach()));
  }

  /** A bug, or a store that failed: whoever asked is not to wait for this node. */
  public void failed(EffectAsked asked, RuntimeException why) {
    append(
        EffectTold.newBuilder()
            .setRequest(asked.getRequest())
            .setNode(store.node())
            .setFailure(String.valueOf(why)));
  }

  private void add(EffectTold.Builder told, EffectAsked asked) {
    List<HlcSpan> except =
        asked.getExceptList().stream().map(s -> new HlcSpan(s.getFrom(), s.getTo())).toList();
    UndoEffect effect = store.effect(asked.getTarget(), except);
    told.setWrites(effect.writes())
        .setKeys(effect.keys())
        .setBytes(effect.bytes())
        .setFirstWrites(effect.firstWrites())
        .setFirstKeys(effect.firstKeys())
        .addAllClients(effect.clients())
        .setClientsTotal(effect.clientsTotal())
        .setClientsSince(effect.clientsSince());
  }

  private void append(EffectTold.Builder told) {
    log.append(
        List.of(
            ControlRecord.newBuilder()
                .setAtMicros(epochMicros.getAsLong())
                .setEffect(EffectStep.newBuilder().setTold(told))
                .build()));
  }
}
