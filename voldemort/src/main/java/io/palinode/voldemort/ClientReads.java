package io.palinode.voldemort;

import io.palinode.detector.binding.StoreKey;
import io.palinode.hvc.Hvc;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.retroscope.snapshot.History;
import io.palinode.retroscope.snapshot.file.HalfUndoneException;
import io.palinode.store.engine.StorageException;
import io.palinode.store.node.NodeParts;
import io.palinode.store.order.FenceState;
import io.palinode.store.past.Accesses;
import io.palinode.store.past.NodeStores;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.Frames;
import io.palinode.voldemort.protocol.Versioned;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/**
 * The reads that clients ask of a node. A read takes no lock; it is served if the fence is the same
 * before and after. Thread-safe.
 */
public final class ClientReads {
  /** What several keys may have together. */
  private static final int ANSWER_BYTES_MAX = Frames.MESSAGE_BYTES_MAX;

  private final NodeStores stores;
  private final History history;
  private final Admission admission;
  private final Accesses accesses;

  ClientReads(NodeParts parts, History history, Admission admission) {
    this.stores = parts.stores();
    this.history = history;
    this.admission = admission;
    this.accesses = parts.accesses();
  }

  /** The versions of a key; none if it is absent. */
  public Reply<List<Versioned>> get(StoreKey key, Caller caller) throws RefusedException {
    admission.count(NodeCounter.GETS);
    admission.store(key.store());
    return read(
        caller,
        () -> StoredVersions.in(stores.record(key)),
        hlc -> accesses.read(hlc, key.store(), key.key(), caller.follower()));
  }

  /**
   * The versions that a key had here at {@code hlc}, even if a rollback discarded them since. A
   * time out of reach is refused with the readable range. O(changes since).
   */
  public Reply<List<Versioned>> getAsOf(StoreKey key, long hlc, Caller caller)
      throws RefusedException {
    admission.count(NodeCounter.GETS);
    admission.store(key.store());
    try {
      return read(
          caller,
          () -> StoredVersions.in(history.getAsOf(key.store(), key.key(), hlc)),
          now -> accesses.read(now, key.store(), key.key(), caller.follower()));
    } catch (OutOfReachException | HalfUndoneException e) {
      throw admission.refuse(ErrorCode.VOLDEMORT, String.valueOf(e.getMessage()));
    } catch (UncheckedIOException e) {
      throw admission.unreadPast(e);
    }
  }

  /**
   * The versions of several keys, in the order of {@code keys}. Refused if they are too large for
   * one answer.
   */
  public Reply<List<List<Versioned>>> getAll(String store, List<byte[]> keys, Caller caller)
      throws RefusedException {
    admission.count(NodeCounter.GETS);
    admission.store(store);
    Reply<List<List<Versioned>>> found =
        read(
            caller,
            () -> foundWithinLimit(store, keys),
            hlc -> keys.forEach(key -> accesses.read(hlc, store, key, caller.follower())));
    if (found.value().size() < keys.size()) {
      throw admission.refuse(
          ErrorCode.VOLDEMORT,
          "the answer must be at most %d bytes: ask for fewer keys than %d at once"
              .formatted(ANSWER_BYTES_MAX, keys.size()));
    }
    return found;
  }

  /** Fewer than {@code keys} if all would exceed the limit. */
  private List<List<Versioned>> foundWithinLimit(String store, List<byte[]> keys) {
    List<List<Versioned>> found = new ArrayList<>(keys.size());
    long bytes = 0;
    for (byte[] key : keys) {
      byte[] record = stores.engine().get(store, key);
      bytes += key.length + (record == null ? 0 : record.length);
      if (bytes > ANSWER_BYTES_MAX) {
        return found;
      }
      found.add(StoredVersions.in(record));
    }
    return found;
  }

  /**
   * @param seen accepts the time by which the client has seen the value
   */
  private <T> Reply<T> read(Caller caller, Supplier<T> look, LongConsumer seen)
      throws RefusedException {
    FenceState admitted = admission.admit(caller);
    T value;
    try {
      value = look.get();
    } catch (StorageException e) {
      // The read may have waited for a record that a restore was writing.
      admission.requireSameFence(admitted);
      throw admission.failed(e);
    }
    // Read, then tick: the reading is after every write that the value shows.
    Hvc reading = admission.receive(caller);
    if (admission.keepsPast()) {
      // Before the check of the fence: a paused node has all answered reads in its access log.
      seen.accept(reading.own());
    }
    admission.requireSameFence(admitted);
    return new Reply<>(value, reading, 0, admitted.epoch());
  }
}
