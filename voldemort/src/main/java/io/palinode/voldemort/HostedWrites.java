package io.palinode.voldemort;

import io.palinode.detector.binding.StoreKey;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcClock;
import io.palinode.store.node.NodeParts;
import io.palinode.store.order.ClockPromise;
import io.palinode.store.order.WriteOrder;
import io.palinode.store.past.LocalStore;
import io.palinode.store.past.NodeStores;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The writes that another server makes in its own engine. They share the gate and overlap; only
 * their stamps are taken one at a time. Thread-safe.
 */
public final class HostedWrites {
  private final WriteOrder order;
  private final Admission admission;
  private final NodeStores stores;
  private final HvcClock clock;
  private final ClockPromise promise;
  private final WriteEvents events;

  HostedWrites(NodeParts parts, Admission admission, WriteEvents events) {
    this.order = parts.order();
    this.admission = admission;
    this.stores = parts.stores();
    this.clock = parts.clock();
    this.promise = parts.promise();
    this.events = events;
  }

  /**
   * Begins a write, before it takes a lock of its engine. Until the same thread calls {@link
   * #leave}, no step of a rollback begins, and no scan settles a key. Several threads may be in
   * writes. Nests, also in {@link StoreNode#atomically}. If it throws, do not call {@code leave}.
   */
  public void enter(Caller caller) throws RefusedException {
    // Check the fence before the lock to fail fast, and again under the lock to be correct.
    admission.admit(caller);
    order.sharedLock().lock();
    try {
      admission.admit(caller);
      if (caller.hvc() != null) {
        Hvc unused = admission.receive(caller);
      }
    } catch (RefusedException | RuntimeException | Error e) {
      // Also if memory is exhausted: a lock that stays held would stop all writes for good.
      order.sharedLock().unlock();
      throw e;
    }
  }

  /** Ends a write, also one that failed. Allocates nothing. */
  public void leave() {
    order.sharedLock().unlock();
  }

  /**
   * Begins a write that excludes all others, for one that reads nothing under its engine's lock.
   * Ends with {@link #leaveAlone}. Throws {@link IllegalStateException} in a thread that has
   * {@linkplain #enter entered}.
   */
  public void enterAlone(Caller caller) throws RefusedException {
    if (order.isShared()) {
      throw new IllegalStateException("a thread that is in a write cannot be alone");
    }
    admission.admit(caller);
    order.writeLock().lock();
    try {
      admission.admit(caller);
    } catch (RefusedException | RuntimeException | Error e) {
      order.writeLock().unlock();
      throw e;
    }
  }

  public void leaveAlone() {
    order.writeLock().unlock();
  }

  /** Whether this thread excludes all writes. */
  public boolean isAlone() {
    return order.isAlone();
  }

  /**
   * Stamps and logs a change, and passes it on, between {@link #enter} and {@link #leave}. Returns
   * the change's HVC; null if the record stays equal.
   *
   * <p>Call while the engine excludes other writes of the key, before they can see this one: the
   * clock's order is then each key's order. If the write fails later, pass its reverse. If a delete
   * succeeds, call {@link #deleted} too.
   *
   * @param before the key's record until now; null if there was none
   * @param after the record that it gets; null for none
   * @param deleted the clock that a delete covers; null for any other write
   */
  public @Nullable Hvc changed(
      StoreKey key,
      byte @Nullable [] before,
      byte @Nullable [] after,
      @Nullable VectorClock deleted,
      Caller caller) {
    LocalStore store = stores.of(key);
    boolean isMissed = true;
    order.stampLock().lock();
    try {
      admission.count(deleted == null && after != null ? NodeCounter.PUTS : NodeCounter.DELETES);
      if (Arrays.equals(before, after)) {
        isMissed = false;
        return null;
      }
      Hvc beforeWrite = clock.tick();
      Hvc afterWrite = clock.tick();
      promise.cover(afterWrite.own(), ClockPromise.AHEAD_HLC);
      store.log(afterWrite.own(), key.key(), before);
      Write write = new Write(key, caller, null, deleted);
      // Most keys have no listener: the records are decoded only for one that has.
      events.written(
          write,
          afterWrite.own(),
          () -> {
            List<Versioned> siblings = StoredVersions.in(after);
            Versioned added = deleted == null ? added(before, siblings) : null;
            return events.event(
                new Write(key, caller, added, deleted), before, siblings, beforeWrite, afterWrite);
          });
      isMissed = false;
      return afterWrite;
    } finally {
      if (isMissed) {
        // Under the stamp lock: no progress is published in between.
        events.missed();
      }
      order.stampLock().unlock();
    }
  }

  /**
   * Lists a delete that succeeded, even if it found nothing here. A rollback applies the list to
   * the records of other replicas. Do not call it for a delete that failed: its client knows of the
   * failure, and the key stays. Between {@link #enter} and {@link #leave}.
   *
   * @param upTo the clock that the delete covers
   * @param at the result of {@link #changed}
   */
  public void deleted(StoreKey key, VectorClock upTo, @Nullable Hvc at, Caller caller) {
    LocalStore store = stores.of(key);
    Write write = new Write(key, caller, null, upTo);
    order.stampLock().lock();
    try {
      // The window-log has the same HLC: every cut contains both or neither.
      events.listDelete(store, write, at == null ? clock.tick().own() : at.own());
    } finally {
      order.stampLock().unlock();
    }
  }

  /** Reports to the listeners that a write was not passed on. See {@link WriteEvents#missed}. */
  public void missed() {
    events.missed();
  }

  /** The newest version that was not there before: engines append what is put. */
  private static @Nullable Versioned added(byte @Nullable [] before, List<Versioned> siblings) {
    List<Versioned> old = StoredVersions.in(before);
    for (int i = siblings.size() - 1; i >= 0; i--) {
      if (!old.contains(siblings.get(i))) {
        return siblings.get(i);
      }
    }
    return null;
  }
}
