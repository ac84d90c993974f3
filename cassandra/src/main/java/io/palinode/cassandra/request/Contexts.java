package io.palinode.cassandra.request;

import io.palinode.cassandra.node.ServerNode;
import io.palinode.cql.protocol.Context;
import io.palinode.cql.protocol.Fence;
import io.palinode.store.order.FenceState;
import org.jspecify.annotations.Nullable;

/** The contexts that a server receives and sends. Thread-safe. */
final class Contexts {
  private final ServerNode server;

  Contexts(ServerNode server) {
    this.server = server;
  }

  /**
   * The fence that refuses a request; null if the server carries it out.
   *
   * @param requestEpoch or {@link Context#UNKNOWN}
   */
  @Nullable Fence refusal(long requestEpoch) {
    FenceState own = server.fence();
    if (own == null) {
      return null;
    }
    long newest = server.peers().newestEpoch();
    FenceState fence = newest > own.epoch() ? FenceState.paused(newest) : own;
    FenceState refusal = fence.refusal(requestEpoch == Context.UNKNOWN ? null : requestEpoch);
    return refusal == null ? null : fence(refusal, requestEpoch);
  }

  static Fence fence(FenceState state, long requestEpoch) {
    if (state.paused()) {
      return Fence.paused(state.epoch());
    }
    Long target = state.target();
    boolean missedOthers = state.epoch() != requestEpoch + 1;
    return new Fence(
        state.epoch(),
        false,
        target == null || missedOthers ? 0 : target,
        state.missed().restartEpoch() > requestEpoch);
  }

  /** The epoch that the server serves; {@link Context#UNKNOWN} if its node is not watched. */
  long epoch() {
    FenceState fence = server.fence();
    return fence == null ? Context.UNKNOWN : fence.epoch();
  }

  /** What an answer or a message of this epoch carries. */
  Context of(long epoch) {
    return Context.of(epoch, server.tick());
  }

  /**
   * Takes in what another server sent. Throws {@link io.palinode.hvc.ClockDriftException} for a
   * clock that is too far ahead.
   */
  void received(Context context) {
    server.peers().received(context.epoch(), context.refused());
    if (context.clock() != null) {
      server.tick(context.clock());
    }
  }
}
