package io.palinode.hazelcast.node;

import io.palinode.retroscope.OutOfReachException;
import io.palinode.retroscope.WindowLog;
import io.palinode.retroscope.snapshot.History;
import io.palinode.retroscope.snapshot.RollbackTimes;
import io.palinode.retroscope.snapshot.file.Entry;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The history of a member. No time is in reach once its node is off, because its copies no longer
 * change. Thread-safe.
 *
 * @param off whether the node misses changes from now on
 */
record WatchedHistory(History history, BooleanSupplier off) implements History {
  @Override
  public List<String> stores() {
    return history.stores();
  }

  @Override
  public WindowLog past(String store) {
    return history.past(store);
  }

  @Override
  public long settle(long hlc) {
    long own = history.settle(hlc);
    if (off.getAsBoolean()) {
      throw new OutOfReachException(hlc, own, own);
    }
    return own;
  }

  @Override
  public RollbackTimes rollbacks() {
    return history.rollbacks();
  }

  @Override
  public byte @Nullable [] get(String store, byte[] key) {
    return history.get(store, key);
  }

  @Override
  public List<Entry> page(String store, byte @Nullable [] after, int bytesMax) {
    return history.page(store, after, bytesMax);
  }
}
