package io.palinode.voldemort;

import io.palinode.detector.binding.SeenBefore;
import io.palinode.detector.binding.StaleRead;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcClock;
import io.palinode.store.binding.UndoLog.KeyRecord;
import io.palinode.store.engine.StorageEngine.Change;
import io.palinode.store.engine.StorageException;
import io.palinode.store.node.NodeParts;
import io.palinode.store.order.ClockPromise;
import io.palinode.store.order.FenceState;
import io.palinode.store.order.WriteOrder;
import io.palinode.store.past.LocalStore;
import io.palinode.store.past.NodeStores;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The writes that clients ask of a node, one at a time under the write lock. The steps of a write
 * follow docs/explanation/overview.md, "A write at a node". Thread-safe.
 */
public final class ClientWrites {
  private final WriteOrder order;
  private final Admission admission;
  private final NodeStores stores;
  private final HvcClock clock;
  private final ClockPromise promise;
  private final WriteEvents events;

  ClientWrites(NodeParts parts, Admission admission, WriteEvents events) {
    this.order = parts.order();
    this.admission = admission;
    this.stores = parts.stores();
    this.clock = parts.clock();
    this.promise = parts.promise();
    this.events = events;
  }

  /** Adds a version. Refused as obsolete if the node has a newer or equal one. */
  public Reply<Boolean> put(StoreKey key, Versioned added, Caller caller) throws RefusedException {
    return put(key, added, caller, null);
  }

  /**
   * Like the other.
   *
   * @param seen what the writer has seen of the key; null if it does not state that
   */
  public Reply<Boolean> put(
      StoreKey key, Versioned added, Caller caller, @Nullable List<VectorClock> seen)
      throws RefusedException {
    admission.count(NodeCounter.PUTS);
    Versioned known = added.withOrigin(caller.originAt(stores.node()));
    return write(new Write(key, caller, known, null, seen), stored -> Siblings.put(stored, known));
  }

  /** Removes the versions at or before {@code upTo}; the reply is true if there were any. */
  public Reply<Boolean> delete(StoreKey key, VectorClock upTo, Caller caller)
      throws RefusedException {
    admission.count(NodeCounter.DELETES);
    return write(
        new Write(key, caller, null, upTo),
        stored -> {
          List<Versioned> left = Siblings.delete(stored, upTo);
          return left.size() == stored.size() ? null : left;
        });
  }

  /**
   * Passes on that a client read this here before. Changes nothing; in the order of writes, so that
   * its HLC is after the read and before the client's next write.
   *
   * @param isAgain see {@link StaleRead}
   */
  public Reply<Boolean> readStale(
      StoreKey key, Version read, SeenBefore before, boolean isAgain, Caller caller)
      throws RefusedException {
    order.writeLock().lock();
    try {
      FenceState admitted = admission.admit(caller);
      Hvc at = admission.receive(caller);
      if (admission.keepsPast()) {
        promise.coverWrite(at.own());
        events.readStale(new StaleRead(key, read, before, isAgain, at, caller.writer()));
      }
      return new Reply<>(true, at, 0, admitted.epoch());
    } catch (StorageException e) {
      throw admission.failed(e);
    } finally {
      order.writeLock().unlock();
    }
  }

  /** The versions that a write leaves; null if it changes nothing. */
  @FunctionalInterface
  private interface Edit {
    @Nullable List<Versioned> on(List<Versioned> stored);
  }

  private Reply<Boolean> write(Write write, Edit edit) throws RefusedException {
    LocalStore store = admission.store(write.key().store());
    // Also a delete that finds nothing is listed, and a rollback publishes it.
    requirePublishable(write.key().key().length);
    // Check the fence before the lock to fail fast, and again under the lock to be correct.
    admission.admit(write.caller());
    order.writeLock().lock();
    try {
      FenceState admitted = admission.admit(write.caller());
      byte[] old = stores.record(write.key());
      List<Versioned> siblings = edit.on(StoredVersions.in(old));
      return siblings == null
          ? unchanged(store, write, admitted)
          : commit(store, write, old, siblings, admitted);
    } catch (StorageException e) {
      throw admission.failed(e);
    } finally {
      order.writeLock().unlock();
    }
  }

  private Reply<Boolean> commit(
      LocalStore store,
      Write write,
      byte @Nullable [] old,
      List<Versioned> siblings,
      FenceState admitted)
      throws RefusedException {
    byte[] key = write.key().key();
    byte[] record = StoredVersions.record(siblings);
    Change change = new Change(store.name(), key, record);
    if (!admission.keepsPast()) {
      make(change);
      return new Reply<>(true, admission.lastReading(), 0, admitted.epoch());
    }
    if (write.added() != null) {
      requirePublishable(key.length + (record == null ? 0L : record.length));
    }
    Hvc before = clock.tick();
    Hvc after = admission.receive(write.caller());
    promise.coverWrite(after.own());
    store.log(after.own(), key, old);
    makeAndPass(
        store, write, change, after.own(), () -> events.event(write, old, siblings, before, after));
    return new Reply<>(true, after, after.own(), admitted.epoch());
  }

  /** Makes the change and passes it on. If only the latter fails, a write was missed. */
  private void makeAndPass(
      LocalStore store, Write write, Change change, long hlc, Supplier<WriteEvent> event) {
    boolean isMissed = true;
    try {
      make(change);
      events.listDelete(store, write, hlc);
      events.written(write, hlc, event);
      isMissed = false;
    } catch (StorageException notMade) {
      isMissed = false;
      throw notMade;
    } finally {
      if (isMissed) {
        events.missed();
      }
    }
  }

  private void make(Change change) {
    stores.commit(change);
    admission.storageWorked();
  }

  private Reply<Boolean> unchanged(LocalStore store, Write write, FenceState admitted)
      throws RefusedException {
    Hvc reading = admission.receive(write.caller());
    if (admission.keepsPast()) {
      events.listDelete(store, write, reading.own());
      events.unchanged(write, reading.own());
    }
    if (write.added() != null) {
      throw admission.obsolete(write.added());
    }
    return new Reply<>(false, reading, 0, admitted.epoch());
  }

  /** Refuses a key whose record does not fit into the control log. */
  private void requirePublishable(long bytes) throws RefusedException {
    if (bytes > KeyRecord.BYTES_MAX) {
      throw admission.refuse(
          ErrorCode.VOLDEMORT,
          "a key and its versions must have at most %,d bytes together, for a rollback to restore them: %,d"
              .formatted(KeyRecord.BYTES_MAX, bytes));
    }
  }
}
