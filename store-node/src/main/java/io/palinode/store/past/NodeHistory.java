package io.palinode.store.past;

import io.palinode.hvc.HvcClock;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.retroscope.WindowLog;
import io.palinode.retroscope.snapshot.History;
import io.palinode.retroscope.snapshot.RollbackTimes;
import io.palinode.retroscope.snapshot.Scan;
import io.palinode.retroscope.snapshot.file.Entry;
import io.palinode.store.engine.StorageException;
import java.util.List;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** The stores of a node at any time in reach, from engine and window-logs. */
public final class NodeHistory implements History {
  private static final int PAGE_ATTEMPTS_MAX = 5;

  private final NodeStores stores;
  private final HvcClock clock;
  private final Lock writeLock;
  private volatile RollbackTimes rollbacks = RollbackTimes.NONE;

  public NodeHistory(NodeStores stores, HvcClock clock, Lock writeLock) {
    this.stores = stores;
    this.clock = clock;
    this.writeLock = writeLock;
  }

  public void know(RollbackTimes times) {
    rollbacks = times;
  }

  @Override
  public RollbackTimes rollbacks() {
    return rollbacks;
  }

  @Override
  public List<String> stores() {
    return List.copyOf(stores.names());
  }

  @Override
  public WindowLog past(String store) {
    return stores.named(store).past();
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
    return stores.all().stream().mapToLong(store -> store.past().reach()).max().orElse(0);
  }

  @Override
  public byte @Nullable [] get(String store, byte[] key) {
    return stores.engine().get(store, key);
  }

  /** Retries a page that waited too long for a record of a restore. */
  @Override
  public List<Entry> page(String store, byte @Nullable [] after, int bytesMax) {
    for (int attempt = 1; ; attempt++) {
      try {
        return stores.engine().page(store, after, bytesMax);
      } catch (StorageException e) {
        if (attempt == PAGE_ATTEMPTS_MAX) {
          throw e;
        }
      }
    }
  }

  @Override
  public @Nullable Scan scan(String store) {
    return stores.engine().scan(store);
  }
}
