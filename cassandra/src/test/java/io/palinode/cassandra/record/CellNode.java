package io.palinode.cassandra.record;

import io.palinode.detector.binding.StoreKey;
import io.palinode.hvc.Epsilon;
import io.palinode.store.conformance.PassingEngine;
import io.palinode.store.engine.KeyBytes;
import io.palinode.store.engine.MemoryEngine;
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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A replica of cells in memory, with the store-neutral window-log and restore. */
final class CellNode extends NodeBinding {
  static final String STORE = "cells";
  private static final Duration WHOLE_HISTORY = Duration.ofDays(1);

  private final NodeParts parts;
  private final ReadAsIn engine;

  private CellNode(NodeParts parts, ReadAsIn engine) {
    super(parts);
    this.parts = parts;
    this.engine = engine;
  }

  /**
   * @param second reads return the tombstone of a TTL that has ended in it, as Cassandra's do
   */
  static CellNode of(int node, int nodes, LongSupplier epochMicros, long second) {
    List<Integer> all = IntStream.range(0, nodes).boxed().toList();
    StoreSpec spec = new StoreSpec(STORE, key -> all, new CellRules(), false);
    NodeSettings settings =
        NodeSettings.of(Epsilon.parse("10ms")).withConvergenceWindow(WHOLE_HISTORY);
    ReadAsIn engine = new ReadAsIn(second);
    PastEvents uncounted = new PastEvents(() -> {}, () -> {});
    return new CellNode(
        new NodeParts(
            new NodeSpec(node, nodes, List.of(spec), settings),
            engine,
            epochMicros,
            null,
            uncounted),
        engine);
  }

  /** The cells of a restore are pending until {@link #settle}: reads return them as they are. */
  private static final class ReadAsIn extends PassingEngine {
    private final long second;
    private final Set<KeyBytes> pending = new HashSet<>();

    ReadAsIn(long second) {
      super(new MemoryEngine(List.of(STORE, NodeMeta.STORE)));
      this.second = second;
    }

    byte @Nullable [] stored(StoreKey key) {
      return super.get(STORE, key.key());
    }

    void write(StoreKey key, byte @Nullable [] record) {
      commit(List.of(new Change(STORE, key.key(), record)), Durability.SYNCED);
      pending.remove(new KeyBytes(key.key()));
    }

    @Override
    public void commit(List<Change> changes, Durability durability) {
      super.commit(changes, durability);
      changes.forEach(change -> pending.add(new KeyBytes(change.key())));
    }

    @Override
    public byte @Nullable [] get(String store, byte[] key) {
      return read(store, key, super.get(store, key));
    }

    @Override
    public void read(String store, Iterable<byte[]> keys, FoundVisitor visitor) {
      super.read(store, keys, (key, record) -> visitor.visit(key, read(store, key, record)));
    }

    private byte @Nullable [] read(String store, byte[] key, byte @Nullable [] record) {
      if (record == null || !store.equals(STORE) || pending.contains(new KeyBytes(key))) {
        return record;
      }
      CellRecord cell = CellRecord.decode(record);
      return cell.kind() == CellRecord.Kind.EXPIRING && !cell.isLiveAt(second)
          ? CellRecord.deleted(cell.timestamp(), cell.endsAt() - cell.ttl()).encode()
          : record;
    }
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
      engine.write(key, fresh);
    }
    return hlc;
  }

  /**
   * What a server stores when a plan resumes: the restored cells, all with one timestamp. The log
   * has it as a change: a later plan to an earlier time compares the first timestamps.
   */
  void settle(List<StoreKey> restored, long timestamp, long second) {
    for (StoreKey key : restored) {
      byte[] cut = parts.stores().record(key);
      parts.stores().of(key).log(clock().tick().own(), key.key(), cut);
      CellRecord cell = cut == null ? null : CellRecord.decode(cut);
      byte[] record = CellRecord.restored(cell, timestamp, second).encode();
      engine.write(key, record);
    }
  }

  @Nullable CellRecord cell(StoreKey key) {
    byte[] record = engine.stored(key);
    return record == null ? null : CellRecord.decode(record);
  }

  @Override
  public void listen(WriteListener listener) {}
}
