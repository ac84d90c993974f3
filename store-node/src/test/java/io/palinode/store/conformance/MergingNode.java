package io.palinode.store.conformance;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.hvc.Hvc;
import io.palinode.store.binding.StoreBinding;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.engine.StorageEngine.Change;
import io.palinode.store.node.NodeBinding;
import io.palinode.store.node.NodeParts;
import io.palinode.store.node.NodeSpec;
import io.palinode.store.past.LocalStore;
import io.palinode.store.past.PastEvents;
import io.palinode.store.past.PastOnDisk;
import io.palinode.store.past.RecordRules;
import io.palinode.store.past.StoreSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The smallest node on {@code store-node}: it merges each write into its record. Of a store whose
 * deletes are versions.
 */
public class MergingNode extends NodeBinding implements KitNode {
  private final NodeParts parts;
  private final List<WriteListener> listeners = new ArrayList<>();

  protected MergingNode(NodeParts parts) {
    super(parts);
    this.parts = parts;
  }

  /**
   * The parts of a node that holds every key of one store.
   *
   * @param disk null: a killed node loses its past
   */
  public static NodeParts parts(
      KitSite site,
      String name,
      RecordRules rules,
      StorageEngine engine,
      @Nullable PastOnDisk disk) {
    List<Integer> all = IntStream.range(0, site.nodes()).boxed().toList();
    StoreSpec store = new StoreSpec(name, key -> all, rules, disk != null);
    return new NodeParts(
        new NodeSpec(site.node(), site.nodes(), List.of(store), site.settings()),
        site.medium().apply(engine),
        site.epochMicros(),
        disk,
        new PastEvents(() -> {}, () -> {}));
  }

  public static MergingNode of(NodeParts parts) {
    return new MergingNode(parts);
  }

  @Override
  public StoreBinding binding() {
    return this;
  }

  @Override
  public void listen(WriteListener listener) {
    listeners.add(listener);
  }

  @Override
  public void write(KitWrite write) {
    atomically(() -> merge(write.key(), Objects.requireNonNull(write.added()), write.first()));
  }

  private void merge(StoreKey key, Version added, int first) {
    if (fence().paused()) {
      throw new IllegalStateException("a paused node takes no write: node=" + node());
    }
    LocalStore store = parts.stores().of(key);
    byte[] old = parts.stores().record(key);
    List<Version> before = store.versions(old);
    List<Version> left = store.rules().merge(before, List.of(added));
    if (left.equals(before)) {
      return;
    }
    Hvc stampBefore = clock().tick();
    Hvc stamp = clock().tick();
    parts.promise().coverWrite(stamp.own());
    log(store, stamp.own(), key, old);
    parts.stores().commit(new Change(key.store(), key.key(), store.record(left)));
    announce(new WriteEvent(key, left, added, stampBefore, stamp, "", first));
  }

  /** Logs what a write replaces. */
  void log(LocalStore store, long hlc, StoreKey key, byte @Nullable [] old) {
    store.log(hlc, key.key(), old);
  }

  /** Passes a write on. */
  void announce(WriteEvent event) {
    listeners.forEach(listener -> listener.written(event));
  }

  /** {@inheritDoc} Its window-log in memory is not used again; its engine is its author's. */
  @Override
  public void kill() {}
}
