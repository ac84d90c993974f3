package io.palinode.store;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.HvcClock;
import io.palinode.retroscope.WindowLogConfig;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.store.binding.UndoLog.KeyRecord;
import io.palinode.store.engine.MemoryEngine;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.engine.StorageEngine.Change;
import io.palinode.store.engine.StorageEngine.Durability;
import io.palinode.store.engine.StorageHealth;
import io.palinode.store.order.ClockPromise;
import io.palinode.store.order.Fence;
import io.palinode.store.order.NodeMeta;
import io.palinode.store.order.WriteOrder;
import io.palinode.store.past.DiskLogs;
import io.palinode.store.past.LocalStore;
import io.palinode.store.past.NodeStores;
import io.palinode.store.past.PastEvents;
import io.palinode.store.past.StoreSpec;
import io.palinode.store.restore.NodeRestore;
import io.palinode.store.restore.NodeRollback;
import io.palinode.store.restore.RestoreLimit;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/** One node of an in-memory store in which the last write wins. It keeps its states by HLC. */
final class LastWriteWinsNode {
  static final String STORE = "registers";
  private static final RestoreLimit LIMIT = RestoreLimit.ofBytes(1L << 24);

  private final WriteOrder order = new WriteOrder();
  private final HvcClock clock;
  private final NodeStores stores;
  private final ClockPromise promise;
  private final NodeRollback rollback;
  private final TreeMap<Long, Map<String, Version>> states = new TreeMap<>();

  LastWriteWinsNode(int id, int nodes, LongSupplier epochMicros, Duration convergenceWindow) {
    StorageEngine engine = new MemoryEngine(List.of(STORE, NodeMeta.STORE));
    clock = new HvcClock(id, nodes, Epsilon.parse("10ms"), epochMicros, HvcClock.MAX_DRIFT_DEFAULT);
    long openedAt = clock.tick().own();
    promise =
        new ClockPromise(
            engine, Durability.BUFFERED, new StorageHealth(id), epochMicros, 1, openedAt);
    List<Integer> replicas = IntStream.range(0, nodes).boxed().toList();
    StoreSpec spec = new StoreSpec(STORE, key -> replicas, new LastWriteWinsRules(), false);
    PastEvents events = new PastEvents(() -> {}, () -> {});
    List<LocalStore> opened =
        new DiskLogs(id, List.of(spec), null, 0, events)
            .open(WindowLogConfig.DEFAULT, openedAt, openedAt);
    stores = new NodeStores(id, engine, Durability.BUFFERED, opened);
    Fence fence = new Fence(id, NodeMeta.readFence(engine));
    NodeRestore restore = new NodeRestore(stores, clock, promise::change, convergenceWindow, LIMIT);
    rollback = new NodeRollback(order, stores, clock, fence, restore);
    states.put(openedAt, Map.of());
  }

  NodeRollback rollback() {
    return rollback;
  }

  long now() {
    return clock.last().own();
  }

  /** Applies a write, or a copy of one; an older version than the stored one changes nothing. */
  void write(String name, Version version) {
    order.atomically(
        () -> {
          byte[] key = name.getBytes(StandardCharsets.UTF_8);
          LocalStore store = stores.of(new StoreKey(STORE, key));
          byte[] old = stores.record(new StoreKey(STORE, key));
          byte[] record = store.record(store.rules().merge(store.versions(old), List.of(version)));
          long hlc = clock.tick().own();
          promise.coverWrite(hlc);
          store.log(hlc, key, old);
          stores.commit(new Change(STORE, key, record));
          remember(hlc);
        });
  }

  /** Merges what all nodes contributed, and serves again. */
  void converge(long epoch, long target, List<KeyRecord> contributions) {
    rollback.merge(contributions);
    rollback.resume(epoch, target, 0, MissedEpochs.NONE);
    remember(clock.tick().own());
  }

  Map<String, Version> records() {
    Map<String, Version> found = new HashMap<>();
    stores
        .engine()
        .scan(
            STORE,
            (key, record) ->
                found.put(
                    new String(key, StandardCharsets.UTF_8),
                    new LastWriteWinsRules().versions(record).get(0)));
    return found;
  }

  /** The state at an HLC, from copies of whole states. */
  Map<String, Version> recordsAt(long hlc) {
    return states.floorEntry(hlc).getValue();
  }

  private void remember(long hlc) {
    states.put(hlc, records());
  }
}
