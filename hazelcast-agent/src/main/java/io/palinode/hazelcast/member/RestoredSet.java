package io.palinode.hazelcast.member;

import com.hazelcast.internal.serialization.Data;
import com.hazelcast.map.impl.operation.SetWithExpiryOperation;

/**
 * Gives an entry what a plan restored, also while a client has locked it. Runs at this member only.
 */
final class RestoredSet extends SetWithExpiryOperation implements OfPlan {
  /** The map's setting. */
  private static final long DEFAULT = -1;

  /**
   * @param ttlMillis 0: it has no end
   */
  RestoredSet(String map, Data key, Data value, long ttlMillis) {
    super(map, key, value, ttlMillis, DEFAULT);
  }

  @Override
  public boolean shouldWait() {
    return false;
  }
}
