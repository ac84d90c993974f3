package io.palinode.cassandra.request;

import io.palinode.cql.protocol.Context;
import io.palinode.store.order.FenceState;
import org.jspecify.annotations.Nullable;

/** What a replica does with a request of some epoch. */
enum Verdict {
  SERVED,

  /** A later epoch has begun here, or its rollback has. */
  OVER,

  /** The epoch has begun at another node, and will begin here. */
  NOT_YET;

  /**
   * @param fence that of the replica; null if it is not watched
   */
  static Verdict of(@Nullable FenceState fence, long requestEpoch) {
    if (fence == null || requestEpoch == Context.UNKNOWN) {
      return SERVED;
    }
    if (fence.epoch() > requestEpoch) {
      return OVER;
    }
    return fence.paused() || fence.epoch() < requestEpoch ? NOT_YET : SERVED;
  }
}
