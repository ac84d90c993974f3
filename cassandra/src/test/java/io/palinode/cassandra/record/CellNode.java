package io.palinode.cassandra.record;

import io.palinode.detector.binding.StoreKey;
import io.palinode.hvc.Epsilon;
import io.palinode.store.engine.MemoryEngine;
import io.palinode.store.engine.StorageEngine.Change;
import io.palinode.store.node.NodeBinding;
import io.palinode.store.node.NodeParts;
import io.palinode.store.node.NodeSettings;
import io.palinode.store.node.NodeSpec;
import io.palinode.store.order.NodeMeta;
import io.palinode.store.past.LocalStore;
import io.palinode.store.past.PastEvents;
import io.palinode.store.past.StoreSpec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A replica of cells in memory, with the store-neutral window-log and restore. */
final class CellNode extends NodeBinding {
  static final String STORE = "cells";
  private static final Duration WHOLE_HISTORY = Duration.ofDays(1);

  private final NodeParts parts;

  private CellNode(NodeParts parts) {
    super(parts);
    this.parts = parts;
  }

  static CellNode of(int node, int nodes, LongSupplier epochMicros) {
    List<Integer> all = IntStream.range(0, nodes).boxed().toList();
    StoreSpec spec = new StoreSpec(STORE, key -> all, new CellRules(), false);
    NodeSettings settings =
        NodeSettings.of(Epsilon.parse("10ms")).withConvergenceWindow(WHOLE_HISTORY);
    MemoryEngine engine = new MemoryEngine(List.of(STORE, NodeMeta.STORE));
    PastEvents uncounted = new PastEvents(() -> {}, () -> {});
    return new CellNode(
        new NodeParts(
            new NodeSpec(node, nodes, List.of(spec), settings),
            engine,
            epochMicros,
            null,
            uncounted));
  }

  static StoreKey key(int cell) {
    return new StoreKey(STORE, ("cell" + cell).getBytes(StandardCharsets.UTF_8));
  }

  /** Applies a write, or a late copy of one. Returns its HLC here. */
  long write(StoreKey key, CellRecord write) {
    LocalStore store = parts.stores().of(key);
    byte[] old = parts.stores().record(key);
    byte[] fresh =
        store.record(store.rules().merge(store.versions(old), store.versions(write.encode())));
    long hlc = clock().tick().own();
    if (!Arrays.equals(old, fresh)) {
      store.log(hlc, key.key(), old);
      parts.stores().commit(new Change(STORE, key.key(), fresh));
    }
    return hlc;
  }

  /**
   * What a server stores when a plan resumes: the restored cells, all with one timestamp. The log
   * has it as a change: a later plan to an earlier time compares the first timestamps.
   */
  void settle(List<StoreKey> restored, long timestamp, long second) {
    for (StoreKey key : restored) {
      byte[] record = CellRecord.restored(cell(key), timestamp, second).encode();
      LocalStore store = parts.stores().of(key);
      store.log(clock().tick().own(), key.key(), parts.stores().record(key));
      parts.stores().commit(new Change(STORE, key.key(), record));
    }
  }

  @Nullable CellRecord cell(StoreKey key) {
    byte[] record = parts.stores().record(key);
    return record == null ? null : CellRecord.decode(record);
  }

  @Override
  public void listen(WriteListener listener) {}
}
