package io.palinode.voldemort;

import io.palinode.detector.binding.StaleRead;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.detector.binding.WriteFeed.WriteListener;
import io.palinode.hvc.Hvc;
import io.palinode.store.past.Accesses;
import io.palinode.store.past.LocalStore;
import io.palinode.store.past.Writers;
import io.palinode.voldemort.protocol.Versioned;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a node keeps and passes on of each write: its writer, its access, its delete, its event.
 * Call in the order of the writes' stamps.
 */
final class WriteEvents {
  private final int node;
  private final NodeCounters counters;
  private final Writers writers;
  private final Accesses accesses;
  private final List<WriteListener> listeners = new CopyOnWriteArrayList<>();

  WriteEvents(int node, NodeCounters counters, Writers writers, Accesses accesses) {
    this.node = node;
    this.counters = counters;
    this.writers = writers;
    this.accesses = accesses;
  }

  void listen(WriteListener listener) {
    listeners.add(listener);
  }

  /** A write was stamped {@code hlc}. Asks for the event only if a listener watches the key. */
  void written(Write write, long hlc, Supplier<WriteEvent> event) {
    writers.wrote(hlc, write.caller().writer());
    logAccess(write, hlc);
    if (write.caller().hvc() == null) {
      counters.add(NodeCounter.STOCK_WRITES);
    }
    for (WriteListener listener : listeners) {
      if (listener.watches(write.key())) {
        listener.written(event.get());
      }
    }
  }

  /** Passes a statement on to the listeners; any of them looks up the key by itself. */
  void readStale(StaleRead read) {
    for (WriteListener listener : listeners) {
      listener.readStale(read);
    }
  }

  /**
   * Reports to the listeners that an unknown write was not passed on. Any thread may call this.
   * Takes no lock and allocates nothing, since memory may be exhausted.
   */
  void missed() {
    for (int i = 0; i < listeners.size(); i++) {
      listeners.get(i).missedWrite();
    }
  }

  /** A put was refused as obsolete, or a delete found nothing here. */
  void unchanged(Write write, long hlc) {
    Caller caller = write.caller();
    if (write.deleted() != null) {
      logAccess(write, hlc);
    } else if (!caller.isCopyAt(node)) {
      // The refusal of a put shows its client that a newer version exists.
      StoreKey key = write.key();
      accesses.read(hlc, key.store(), key.key(), caller.follower());
    }
  }

  /**
   * Adds a delete to the store's list, if this node is the first that was asked. Later copies do
   * not count: a client may write the key again after the first node accepted the delete.
   */
  void listDelete(LocalStore store, Write write, long hlc) {
    if (write.deleted() != null && !write.caller().isCopyAt(node)) {
      store.deletes().add(hlc, write.key().key(), write.deleted().encode());
    }
  }

  private void logAccess(Write write, long hlc) {
    if (!accesses.isOn()) {
      return;
    }
    StoreKey key = write.key();
    String client = write.caller().followedWriter();
    boolean isCopy = write.caller().isCopyAt(node);
    if (write.added() != null) {
      accesses.put(hlc, key, write.added().clock().encode(), client, isCopy);
    } else if (write.deleted() != null) {
      accesses.delete(hlc, key, write.deleted().encode(), client, isCopy);
    }
  }

  /** The event of a write that leaves {@code siblings} of the record {@code old}. */
  WriteEvent event(
      Write write, byte @Nullable [] old, List<Versioned> siblings, Hvc before, Hvc after) {
    return new WriteEvent(
        write.key(),
        StoredVersions.of(siblings),
        write.added() == null ? null : StoredVersions.of(write.added()),
        before,
        after,
        write.caller().writer(),
        write.caller().eventOriginAt(node),
        LostVersions.of(old, write, node));
  }
}
