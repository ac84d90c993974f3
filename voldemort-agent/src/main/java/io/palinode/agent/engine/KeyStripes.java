package io.palinode.agent.engine;

import io.palinode.detector.binding.StoreKey;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Locks that run the writes of one key one at a time. The disk engine locks records only: two first
 * writes of a key would collide only after both were passed on.
 *
 * <p>A thread takes at most one, after the node's gate and before any lock of the engine, so that
 * no deadlock is possible.
 */
final class KeyStripes {
  /** A power of two; many times the number of server threads, so that these rarely collide. */
  private static final int COUNT = 1 << 10;

  private final ReentrantLock[] stripes = new ReentrantLock[COUNT];

  KeyStripes() {
    this(ReentrantLock::new);
  }

  /**
   * @param locks creates a lock
   */
  KeyStripes(Supplier<ReentrantLock> locks) {
    Arrays.setAll(stripes, i -> locks.get());
  }

  ReentrantLock of(StoreKey key) {
    int hash = 31 * key.store().hashCode() + Arrays.hashCode(key.key());
    return stripes[(hash ^ (hash >>> 16)) & (COUNT - 1)];
  }
}
