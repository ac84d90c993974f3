package io.palinode.hazelcast.member;

import com.hazelcast.internal.serialization.Data;
import com.hazelcast.map.impl.operation.DeleteOperation;

/** Removes an entry that a plan undid, as {@link RestoredSet}. */
final class RestoredDelete extends DeleteOperation implements OfPlan {
  RestoredDelete(String map, Data key) {
    super(map, key, false);
  }

  @Override
  public boolean shouldWait() {
    return false;
  }
}
