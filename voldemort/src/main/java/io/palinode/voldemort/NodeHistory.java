package io.palinode.voldemort;

import io.palinode.hvc.HvcClock;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.retroscope.WindowLog;
import io.palinode.retroscope.snapshot.History;
import io.palinode.retroscope.snapshot.RollbackTimes;
import io.palinode.retroscope.snapshot.file.Entry;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** A node's stores as they were: engine, window-logs, and the lock under which both change. */
final class NodeHistory implements History {
  private static final int PAGE_ATTEMPTS_MAX = 5;

  private final StorageEngine engine;
  private final HvcClock clock;
  private final Map<String, LocalStore> stores;
  private final Lock writeLock;
  private volatile RollbackTimes rollbacks = RollbackTimes.NONE;

  NodeHistory(
      StorageEngine engine, HvcClock clock, Map<String, LocalStore> stores, Lock writeLock) {
    this.engine = engine;
    this.clock = clock;
    this.stores = stores;
    this.writeLock = writeLock;
  }

  void know(RollbackTimes times) {
    rollbacks = times;
  }

  @Override
  public RollbackTimes rollbacks() {
    return rollbacks;
  }

  @Override
  public List<String> stores() {
    return List.copyOf(stores.keySet());
  }

  @Override
  public WindowLog past(String store) {
    LocalStore found = stores.get(store);
    if (found == null) {
      throw new IllegalArgumentException("a store must be one of " + stores() + ": " + store);
    }
    return found.past();
  }

  @Override
  public long settle(long hlc) {
    writeLock.lock();
    try {
      long own = clock.last().own();
      if (own < hlc && clock.canPass(hlc)) {
        own = clock.tickPast(hlc).own();
      }
      if (own < hlc) {
        throw new OutOfReachException(hlc, reach(), own);
      }
      return own;
    } finally {
      writeLock.unlock();
    }
  }

  private long reach() {
    return stores.values().stream().mapToLong(store -> store.past().reach()).max().orElse(0);
  }

  @Override
  public byte @Nullable [] get(String store, byte[] key) {
    return engine.get(store, key);
  }

  /** A page waits for a record that a restore is writing, but not for ever: so it is read again. */
  @Override
  public List<Entry> page(String store, byte @Nullable [] after, int bytesMax) {
    for (int attempt = 1; ; attempt++) {
      try {
        return engine.page(store, after, bytesMax);
      } catch (StorageException e) {
        if (attempt == PAGE_ATTEMPTS_MAX) {
          throw e;
        }
      }
    }
  }
}
