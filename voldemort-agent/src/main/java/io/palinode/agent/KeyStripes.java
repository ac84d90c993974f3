package io.palinode.agent;

import io.palinode.detector.StoreKey;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Locks that keep the writes of one key apart from before they are told until they have ended. The
 * disk engine's own lock is one of a record: where there is none, two first writes are in each
 * other's way only after both were told.
 *
 * <p>A thread has one at most, so that nobody waits in a circle: taken after the node's gate,
 * before any lock of the engine.
 */
final class KeyStripes {
  /** A power of two; many times the threads of a server, which seldom meet then. */
  private static final int COUNT = 1 << 10;

  private final ReentrantLock[] stripes = new ReentrantLock[COUNT];

  KeyStripes() {
    this(ReentrantLock::new);
  }

  /**
   * @param locks gives a new one each time
   */
  KeyStripes(Supplier<ReentrantLock> locks) {
    Arrays.setAll(stripes, i -> locks.get());
  }

  ReentrantLock of(StoreKey key) {
    int hash = 31 * key.store().hashCode() + Arrays.hashCode(key.key());
    return stripes[(hash ^ (hash >>> 16)) & (COUNT - 1)];
  }
}
