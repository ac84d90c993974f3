package io.palinode.store.restore;

import io.palinode.detector.binding.StoreKey;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.HvcClock;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.store.binding.RestoreRefusedException;
import io.palinode.store.binding.UndoLog.KeyRecord;
import io.palinode.store.binding.UndoLog.Restoration;
import io.palinode.store.engine.StorageEngine.Change;
import io.palinode.store.engine.StorageEngine.Durability;
import io.palinode.store.order.Fence;
import io.palinode.store.order.FenceState;
import io.palinode.store.order.NodeMeta;
import io.palinode.store.order.WriteOrder;
import io.palinode.store.past.Cuts;
import io.palinode.store.past.NodeStores;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node's steps of the rollback protocol, each under the write lock. The contracts are those of
 * {@link io.palinode.store.binding.StoreBinding}.
 */
public final class NodeRollback {
  private static final Logger log = LoggerFactory.getLogger(NodeRollback.class);

  private final WriteOrder order;
  private final NodeStores stores;
  private final HvcClock clock;
  private final Fence fence;
  private final NodeRestore restore;

  public NodeRollback(
      WriteOrder order, NodeStores stores, HvcClock clock, Fence fence, NodeRestore restore) {
    this.order = order;
    this.stores = stores;
    this.clock = clock;
    this.fence = fence;
    this.restore = restore;
  }

  public long pause(long epoch) {
    return order.alone(
        () -> {
          fence.requireNotPast(epoch);
          if (epoch > fence.state().epoch()) {
            fence.become(FenceState.paused(epoch));
            restore.paused();
            log.info("node={} phase=PAUSED epoch={}", stores.node(), epoch);
          }
          return clock.tick().own();
        });
  }

  /** O(changes since the convergence window began). */
  public Restoration restore(long epoch, int attempt, long target) {
    return once(
        epoch,
        attempt,
        () -> {
          Restoration done = restore.restore(epoch, attempt, Cuts.at(target));
          log.info(
              "node={} phase=RESTORED epoch={} attempt={} target={} undone={}",
              stores.node(),
              epoch,
              attempt,
              Hlc.format(target),
              done.undoneWrites());
          return done;
        });
  }

  /** O(changes since the convergence window began). */
  public Restoration restore(long epoch, int attempt, long target, Map<Long, Long> keys) {
    return once(
        epoch,
        attempt,
        () -> {
          requireFirst(epoch, attempt);
          // If the clock is too far behind to pass the target, nothing here is later than it.
          Cuts cuts = new Cuts(target, Math.max(target, clock.tick().own()), keys);
          Restoration done = restore.restore(epoch, attempt, cuts);
          log.info(
              "node={} phase=RESTORED epoch={} attempt={} target={} keys={} undone={}",
              stores.node(),
              epoch,
              attempt,
              Hlc.format(target),
              keys.size(),
              done.undoneWrites());
          return done;
        });
  }

  private void requireFirst(long epoch, int attempt) {
    if (restore.restoredEpoch() == epoch) {
      throw new RestoreRefusedException(
          RestoreRefusedException.Reason.ONLY_ALL,
          "only the first attempt restores single keys: epoch=%d attempt=%d"
              .formatted(epoch, attempt));
    }
  }

  /** O(changes since the convergence window began). */
  public Restoration keep(long epoch, int attempt, long target) {
    return once(
        epoch,
        attempt,
        () -> {
          log.info("node={} phase=KEPT epoch={} attempt={}", stores.node(), epoch, attempt);
          return restore.keep(epoch, attempt, target);
        });
  }

  public Restoration keepAll(long epoch, int attempt) {
    return order.alone(
        () -> {
          fence.requirePaused();
          log.info("node={} phase=KEPT_ALL epoch={} attempt={}", stores.node(), epoch, attempt);
          return restore.keepAll(epoch, attempt);
        });
  }

  /** Holds the write lock throughout; meanwhile the fence refuses requests before the lock. */
  public Restoration restoreFrom(long epoch, int attempt, OpenSnapshot part) {
    return order.alone(
        () -> {
          fence.requirePaused();
          Restoration done = restore.restoreFrom(epoch, attempt, part);
          log.info(
              "node={} phase=RESTORED_FROM_SNAPSHOT epoch={} attempt={} target={} keys={}",
              stores.node(),
              epoch,
              attempt,
              Hlc.format(part.hlc()),
              done.undoneWrites());
          return done;
        });
  }

  /** The result of a step that is done; null if it is still to be done. */
  public @Nullable Restoration done(long epoch, int attempt) {
    return order.alone(() -> restore.done(epoch, attempt));
  }

  private Restoration once(long epoch, int attempt, Supplier<Restoration> step) {
    return order.alone(
        () -> {
          Restoration done = restore.done(epoch, attempt);
          if (done != null) {
            return done;
          }
          fence.requirePaused();
          return step.get();
        });
  }

  public long restoredEpoch() {
    return order.alone(restore::restoredEpoch);
  }

  public List<KeyRecord> readSlices(List<StoreKey> slices, long target, boolean kept) {
    return order.alone(() -> restore.readSlices(slices, target, kept));
  }

  public List<KeyRecord> read(List<StoreKey> keys) {
    return order.alone(() -> keys.stream().map(this::read).toList());
  }

  private KeyRecord read(StoreKey key) {
    byte[] record = stores.record(key);
    return new KeyRecord(key, record == null ? new byte[0] : record, restore.past(key));
  }

  public int merge(List<KeyRecord> records) {
    return order.alone(
        () -> {
          fence.requirePaused();
          return restore.merge(records);
        });
  }

  /** The epoch is on disk before it is served. */
  public void resume(long epoch, long target, long sequentialUntilMicros, MissedEpochs missed) {
    order.atomically(
        () -> {
          fence.requireNotPast(epoch);
          FenceState resumed = FenceState.resumed(epoch, target, sequentialUntilMicros, missed);
          // An earlier release may have written less of the same epoch.
          if (resumed.equals(fence.state())) {
            return;
          }
          List<Change> changes = new ArrayList<>(restore.forgetting());
          changes.add(NodeMeta.fenceChange(epoch, target, sequentialUntilMicros, missed));
          stores.engine().commit(changes, Durability.SYNCED);
          restore.resumed();
          fence.become(resumed);
          log.info(
              "node={} phase=SERVING epoch={} target={}", stores.node(), epoch, Hlc.format(target));
        });
  }

  /** Whether a plan that compared all keys has ended in this incarnation. */
  public boolean hasComparedAll() {
    long epoch = restore.comparedEpoch();
    FenceState state = fence.state();
    return epoch > 0 && state.epoch() >= epoch && !state.paused();
  }
}
