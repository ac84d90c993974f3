package io.palinode.store.order;

import io.palinode.hvc.Hlc;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.engine.StorageEngine.Change;
import io.palinode.store.engine.StorageEngine.Durability;
import io.palinode.store.engine.StorageException;
import io.palinode.store.engine.StorageHealth;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The clock promise of one incarnation: the next one starts after it. It is a record of the engine.
 * If the engine refuses it, as on a full disk, the engine's spare room takes it. So a node that
 * refuses writes still publishes progress, and judgement does not wait.
 *
 * <p>Thread-safe. Its lock is the last in the order of locks, and is held during the commit.
 */
public final class ClockPromise {
  /** How far ahead a node promises. It commits once in this time, not for each write. */
  public static final long AHEAD_HLC = Hlc.ofMicros(100_000);

  private final StorageEngine engine;
  private final Durability durability;
  private final StorageHealth health;
  private final LongSupplier epochMicros;
  private final long incarnation;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile long hlc;
  private volatile boolean ended;

  /** Begins the incarnation; on the medium when it returns. */
  public ClockPromise(
      StorageEngine engine,
      Durability durability,
      StorageHealth health,
      LongSupplier epochMicros,
      long incarnation,
      long openedAt) {
    this.engine = engine;
    this.durability = durability;
    this.health = health;
    this.epochMicros = epochMicros;
    this.incarnation = incarnation;
    commit(openedAt, Durability.SYNCED);
  }

  /** The promise of the last incarnation, in the engine or its spare room. */
  public static NodeMeta.Start last(StorageEngine engine) {
    NodeMeta.Start committed = NodeMeta.Start.read(engine);
    NodeMeta.Start spare = NodeMeta.Start.of(engine.spare());
    return new NodeMeta.Start(
        committed.incarnation(), Math.max(committed.promisedHlc(), spare.promisedHlc()));
  }

  boolean covers(long wanted) {
    return wanted <= hlc;
  }

  /**
   * Whether {@code wanted} is covered; extends the promise if needed. It extends by 100 ms more, so
   * most calls do no I/O. After a failure it waits 100 ms, or for a write that promises.
   */
  public boolean promises(long wanted) {
    if (covers(wanted)) {
      return true;
    }
    if (ended || !health.mayPromise(epochMicros.getAsLong())) {
      return false;
    }
    try {
      cover(wanted, AHEAD_HLC);
      return covers(wanted);
    } catch (StorageException e) {
      health.promiseFailed(e, epochMicros.getAsLong());
      return false;
    }
  }

  /** Microseconds since no medium has taken a promise; 0 if the last one was taken. */
  public long unpromisedMicros() {
    return health.unpromisedMicros(epochMicros.getAsLong());
  }

  /**
   * Keeps at least half of {@code aheadHlc} promised beyond {@code now}. Under the gate. Throws
   * {@link StorageException}.
   */
  public void keepAhead(long now, long aheadHlc) {
    if (!ended) {
      cover(now + aheadHlc / 2, aheadHlc / 2);
    }
  }

  /**
   * Extends the promise by {@code furtherHlc} beyond {@code wanted}, unless that is covered. Throws
   * {@link StorageException} if no medium takes it.
   */
  public void cover(long wanted, long furtherHlc) {
    if (covers(wanted)) {
      return;
    }
    lock.lock();
    try {
      if (wanted > hlc) {
        extendTo(wanted + furtherHlc);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Extends the promise to at least {@code wanted}. Throws {@link StorageException} if no medium
   * takes it.
   */
  public void extendTo(long wanted) {
    lock.lock();
    try {
      long next = Math.max(hlc, wanted);
      try {
        commit(next, durability);
      } catch (StorageException refused) {
        spare(next, refused);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Covers a write of the engine. Throws {@link StorageException} while the engine refuses records,
   * so that the window-log gets no entry of a refused write.
   */
  public void coverWrite(long wanted) {
    if (wanted <= hlc && !health.isRefused()) {
      return;
    }
    lock.lock();
    try {
      if (wanted > hlc || health.isRefused()) {
        commit(Math.max(hlc, wanted + AHEAD_HLC), durability);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends the incarnation in order: reduces the promise, so that the next start need not wait. */
  public void end(long last) {
    ended = true;
    lock.lock();
    try {
      commit(last, Durability.SYNCED);
    } finally {
      lock.unlock();
    }
  }

  /** The change that extends the promise, for a larger commit. */
  public Change change(long wanted) {
    return new NodeMeta.Start(incarnation, Math.max(hlc, wanted)).toChange();
  }

  private void commit(long next, Durability how) {
    engine.commit(List.of(new NodeMeta.Start(incarnation, next).toChange()), how);
    hlc = next;
    health.promiseMade();
  }

  private void spare(long next, StorageException refused) {
    byte @Nullable [] record = new NodeMeta.Start(incarnation, next).toChange().record();
    if (record == null || !engine.putSpare(record, durability)) {
      throw refused;
    }
    hlc = next;
    health.promiseSpared(refused, epochMicros.getAsLong());
  }
}
