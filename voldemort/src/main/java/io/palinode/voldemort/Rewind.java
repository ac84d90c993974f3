package io.palinode.voldemort;

import io.palinode.detector.StoreBinding.KeyRecord;
import io.palinode.detector.StoreBinding.Restoration;
import io.palinode.detector.StoreKey;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.HvcClock;
import io.palinode.retroscope.Diff;
import io.palinode.voldemort.Repairs.Repair;
import io.palinode.voldemort.StorageEngine.Change;
import io.palinode.voldemort.StorageEngine.Durability;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes the records of a paused node back, and completes them from other replicas. Each step is one
 * synced transaction, and is itself in the window-logs, as writes of the moment in which it was
 * done: so a later step may choose any other target in reach. Used by one thread at a time.
 */
final class Rewind {
  private final int node;
  private final StorageEngine engine;
  private final HvcClock clock;
  private final long convergenceWindowHlc;
  private NodeMeta.@Nullable Mark last;
  private long repairsSincePause;

  Rewind(StoreNodeConfig config, StorageEngine engine, HvcClock clock) {
    this.node = config.nodeId();
    this.engine = engine;
    this.clock = clock;
    this.convergenceWindowHlc = Hlc.ofMicros(config.convergenceWindow().toNanos() / 1_000);
    this.last = NodeMeta.Mark.read(engine);
  }

  /** From here on, what this object changes is not counted among the writes that it undoes. */
  void paused() {
    repairsSincePause = 0;
  }

  /**
   * What this restore, or a later one, gave already; null when it is still to be done. Of other
   * attempts than the last one nothing is remembered: they give an empty restoration.
   */
  @Nullable Restoration done(long epoch, int attempt) {
    NodeMeta.Mark mark = last;
    if (mark == null || !mark.covers(epoch, attempt)) {
      return null;
    }
    boolean same = mark.epoch() == epoch && mark.attempt() == attempt;
    return same ? mark.restoration() : new Restoration(0, List.of());
  }

  /** Throws {@link io.palinode.retroscope.OutOfReachException} and changes nothing. */
  Restoration restore(Collection<LocalStore> stores, long epoch, int attempt, long target) {
    long since = target - Math.min(target, convergenceWindowHlc);
    Repairs repairs = new Repairs(engine);
    List<StoreKey> changed = new ArrayList<>();
    long undone = -repairsSincePause;
    for (LocalStore store : stores) {
      Diff diff = store.past().diffTo(target);
      undone += diff.entries();
      repairs.undo(store, diff);
      Diff near = store.past().diffTo(Math.max(store.past().reach(), since));
      near.forEach((key, then) -> changed.add(new StoreKey(store.name(), key)));
    }
    Restoration restoration = new Restoration(undone, List.copyOf(changed));
    NodeMeta.Mark mark = new NodeMeta.Mark(epoch, attempt, restoration);
    commit(repairs, List.of(mark.toChange()));
    last = mark;
    return restoration;
  }

  /** Adds the versions that are not obsolete, of keys that live on this node. */
  int merge(Collection<LocalStore> stores, List<KeyRecord> records) {
    Repairs repairs = new Repairs(engine);
    for (LocalStore store : stores) {
      repairs.merge(
          store,
          records.stream()
              .filter(record -> record.key().store().equals(store.name()))
              .filter(record -> store.isHeldBy(node, record.key().key()))
              .toList());
    }
    commit(repairs, List.of());
    return repairs.all().size();
  }

  private void commit(Repairs repairs, List<Change> marks) {
    List<Change> changes = new ArrayList<>(repairs.changes());
    changes.addAll(marks);
    if (changes.isEmpty()) {
      return;
    }
    engine.commit(changes, Durability.SYNCED);
    for (Repair repair : repairs.all()) {
      repair.store().past().append(clock.tick().own(), repair.key(), repair.old());
    }
    repairsSincePause += repairs.all().size();
  }
}
