package io.palinode.store.order;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The locks that give a node's writes one order. A thread takes the gate before the stamp lock, and
 * the lock of the clock promise last. Thread-safe.
 */
public final class WriteOrder {
  /** Shared by the writes of another server, which orders the writes of each key by itself. */
  private final ReentrantReadWriteLock gate = new ReentrantReadWriteLock();

  /** Orders the stamps of writes that share the gate. Held for a moment. */
  private final ReentrantLock stamps = new ReentrantLock();

  /** The write lock: while a thread holds it, no other thread is in a write. Reentrant. */
  public Lock writeLock() {
    return gate.writeLock();
  }

  /** The gate's shared side: several writes at once, and no holder of the write lock. */
  public Lock sharedLock() {
    return gate.readLock();
  }

  /** For the stamps of one write; taken under the gate. */
  public Lock stampLock() {
    return stamps;
  }

  public boolean isAlone() {
    return gate.isWriteLockedByCurrentThread();
  }

  public boolean isShared() {
    return gate.getReadHoldCount() > 0;
  }

  /** Runs {@code action} under the write lock. */
  public <T extends @Nullable Object> T alone(Supplier<T> action) {
    writeLock().lock();
    try {
      return action.get();
    } finally {
      writeLock().unlock();
    }
  }

  /** See {@link io.palinode.detector.binding.WriteFeed#atomically}. */
  public void atomically(Runnable action) {
    writeLock().lock();
    try {
      action.run();
    } finally {
      writeLock().unlock();
    }
  }

  /**
   * See {@link io.palinode.detector.binding.WriteFeed#ordered}. The gate excludes holders of the
   * write lock; the stamp lock excludes the stamps of writes that share the gate.
   */
  public void ordered(Runnable action) {
    sharedLock().lock();
    try {
      stamps.lock();
      try {
        action.run();
      } finally {
        stamps.unlock();
      }
    } finally {
      sharedLock().unlock();
    }
  }
}
