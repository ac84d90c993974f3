package io.palinode.store.restore;

import io.palinode.detector.binding.StoreKey;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcClock;
import io.palinode.hvc.PointInTime;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import io.palinode.store.binding.RestoreRefusedException;
import io.palinode.store.binding.RestoreRefusedException.Reason;
import io.palinode.store.binding.UndoLog.KeyRecord;
import io.palinode.store.binding.UndoLog.Replica;
import io.palinode.store.binding.UndoLog.Restoration;
import io.palinode.store.engine.KeyBytes;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.engine.StorageEngine.Change;
import io.palinode.store.engine.StorageEngine.Durability;
import io.palinode.store.order.NodeMeta;
import io.palinode.store.past.Cuts;
import io.palinode.store.past.Deletes;
import io.palinode.store.past.LocalStore;
import io.palinode.store.past.NodeStores;
import io.palinode.store.restore.ChangedKeys.Changed;
import io.palinode.store.restore.ChangedKeys.Near;
import io.palinode.store.restore.Repairs.Repair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Restores the records of a paused node, and merges them with those of other replicas. Each step is
 * one synced transaction. The window-logs contain it as writes at its time, so a later step may
 * choose any target in reach. For one thread at a time.
 */
public final class NodeRestore {
  private final int node;
  private final StorageEngine engine;
  private final Collection<LocalStore> stores;
  private final HvcClock clock;
  private final LongFunction<Change> promise;
  private final long convergenceWindowHlc;
  private final RestoreLimit limit;
  private final KeySlices slices;
  private volatile long comparedEpoch;
  private NodeMeta.@Nullable Mark last;
  private NodeMeta.@Nullable Pasts pasts;
  private long repairsSincePause;

  /**
   * @param promise the change that extends the clock promise to an HLC
   */
  public NodeRestore(
      NodeStores stores,
      HvcClock clock,
      LongFunction<Change> promise,
      Duration convergenceWindow,
      RestoreLimit limit) {
    this.node = stores.node();
    this.engine = stores.engine();
    this.stores = stores.all();
    this.clock = clock;
    this.promise = promise;
    this.convergenceWindowHlc = Hlc.ofMicros(convergenceWindow.toNanos() / 1_000);
    this.limit = limit;
    this.slices = new KeySlices(node, engine);
    this.last = NodeMeta.Mark.read(engine);
    this.pasts = NodeMeta.Pasts.read(engine);
  }

  /** Starts a plan: its own changes do not count as undone writes. */
  void paused() {
    repairsSincePause = 0;
  }

  /** Ends a plan: no node asks for its keys and pasts again. */
  void resumed() {
    pasts = null;
    last = withoutKeys();
  }

  /** The changes to commit before {@link #resumed}: the same on disk. */
  List<Change> forgetting() {
    NodeMeta.Mark mark = withoutKeys();
    return mark == null
        ? List.of(NodeMeta.Pasts.removal())
        : List.of(NodeMeta.Pasts.removal(), mark.toChange());
  }

  private NodeMeta.@Nullable Mark withoutKeys() {
    NodeMeta.Mark mark = last;
    return mark == null ? null : mark.withoutKeys();
  }

  /**
   * The result of a step that is done; null if it is still to be done. Empty for steps before the
   * last one.
   */
  @Nullable Restoration done(long epoch, int attempt) {
    NodeMeta.Mark mark = last;
    if (mark == null || !mark.covers(epoch, attempt)) {
      return null;
    }
    boolean same = mark.epoch() == epoch && mark.attempt() == attempt;
    return same ? mark.restoration() : new Restoration(0, List.of());
  }

  /** The epoch of the last step; 0 if there was none. */
  long restoredEpoch() {
    return last == null ? 0 : last.epoch();
  }

  /**
   * Restores the keys to their cuts. Throws {@link io.palinode.retroscope.OutOfReachException} or
   * {@link io.palinode.store.binding.RestoreRefusedException}; both change nothing.
   */
  Restoration restore(long epoch, int attempt, Cuts cuts) {
    long target = cuts.least();
    RestoreLimit.Tally tally = limit.tally();
    List<ChangedKeys> changed = new ArrayList<>(stores.size());
    for (LocalStore store : stores) {
      long since = Math.min(target, since(store, target));
      changed.add(changedKeys(store, cuts, new Near(since, from(target), cuts), tally));
    }
    Repairs repairs = new Repairs(engine);
    long undone = -repairsSincePause;
    for (ChangedKeys each : changed) {
      undone += each.changesAfter();
      repairs.undo(each);
    }
    Restoration restoration = new Restoration(undone, keys(changed), replicas(changed, cuts));
    NodeMeta.Mark mark = new NodeMeta.Mark(epoch, attempt, restoration);
    NodeMeta.Pasts past = pasts(changed, mark, from(target), cuts);
    // Before the commit: a delete wrongly listed as undone loses nothing, one that wrongly stands
    // does.
    stores.forEach(store -> noteUndone(store, cuts));
    done(mark, past, repairs);
    return restoration;
  }

  /**
   * Undoes nothing: the cut is the present. Throws {@link
   * io.palinode.store.binding.RestoreRefusedException} and changes nothing.
   */
  Restoration keep(long epoch, int attempt, long target) {
    long from = from(target);
    if (from > target) {
      // The log may have reached the target at the pause: entries of an undo have displaced others.
      throw new RestoreRefusedException(
          Reason.FORGOTTEN,
          "the window-log has the changed keys since %2$s only, not since %1$s"
              .formatted(PointInTime.format(target), PointInTime.format(from)));
    }
    long now = clock.tick().own();
    RestoreLimit.Tally tally = limit.tally();
    List<ChangedKeys> changed = new ArrayList<>(stores.size());
    for (LocalStore store : stores) {
      Near near = new Near(since(store, target), from, Cuts.at(now));
      changed.add(changedKeys(store, Cuts.at(target), near, tally));
    }
    Restoration restoration = new Restoration(0, keys(changed));
    NodeMeta.Mark mark = new NodeMeta.Mark(epoch, attempt, restoration);
    done(mark, pasts(changed, mark, from, Cuts.at(now)), new Repairs(engine));
    return restoration;
  }

  /** The last epoch whose plan compared all keys in this incarnation; 0 if there was none. */
  long comparedEpoch() {
    return comparedEpoch;
  }

  /**
   * Undoes nothing, and returns all slices with their digests. A repeat reads them again. A slice
   * with a delete has no digest: the delete may cover a version that all replicas have.
   */
  Restoration keepAll(long epoch, int attempt) {
    comparedEpoch = epoch;
    NodeMeta.Mark mark = new NodeMeta.Mark(epoch, attempt, new Restoration(0, List.of()));
    if (last == null || !last.covers(epoch, attempt)) {
      commit(new Repairs(engine), List.of(mark.toChange(), NodeMeta.Pasts.removal()));
      last = mark;
      pasts = null;
    }
    Map<StoreKey, Replica> digests = slices.digests(stores);
    long now = clock.last().own();
    for (LocalStore store : stores) {
      standing(store, Cuts.at(now), from(now))
          .keySet()
          .forEach(
              key ->
                  digests.computeIfPresent(
                      slices.of(store, key.bytes()),
                      (slice, some) -> new Replica(Replica.NONE, some.nodes(), some.weight())));
    }
    return new Restoration(0, List.copyOf(digests.keySet()), digests);
  }

  /**
   * Restores the cut of a snapshot; see {@link SnapshotRestore}. A repeat continues after a crash,
   * or reads the digests again.
   */
  Restoration restoreFrom(long epoch, int attempt, OpenSnapshot part) {
    for (LocalStore store : stores) {
      if (!part.stores().contains(store.name())) {
        throw new RestoreRefusedException(
            Reason.NO_SNAPSHOT, "the snapshot has no store '%s'".formatted(store.name()));
      }
    }
    if (last == null || !last.covers(epoch, attempt)) {
      long undone = restoreAll(epoch, attempt, part);
      NodeMeta.Mark mark = new NodeMeta.Mark(epoch, attempt, new Restoration(undone, List.of()));
      commit(new Repairs(engine), List.of(mark.toChange(), NodeMeta.Pasts.removal()));
      last = mark;
      pasts = null;
    }
    Map<StoreKey, Replica> digests = slices.digests(stores);
    long undone = last == null ? 0 : last.restoration().undoneWrites();
    return new Restoration(undone, List.copyOf(digests.keySet()), digests);
  }

  private long restoreAll(long epoch, int attempt, OpenSnapshot part) {
    // The records now no longer belong to the epoch before, though this attempt is not done.
    NodeMeta.Mark begun = new NodeMeta.Mark(epoch, attempt - 1, new Restoration(0, List.of()));
    commit(new Repairs(engine), List.of(begun.toChange(), NodeMeta.Pasts.removal()));
    last = begun;
    pasts = null;
    // Before the commit: a delete wrongly listed as undone loses nothing, one that wrongly stands
    // does.
    stores.forEach(store -> store.deletes().undone(clock.last().own(), part.hlc()));
    SnapshotRestore restore =
        new SnapshotRestore(engine, part, repairs -> commit(repairs, List.of()));
    return stores.stream().mapToLong(restore::of).sum();
  }

  /**
   * The records of the keys in these slices, with their pasts up to the cut: {@code target}, or now
   * if {@code kept}. Holds all of them in memory.
   */
  List<KeyRecord> readSlices(Collection<StoreKey> wanted, long target, boolean kept) {
    Set<StoreKey> these = new HashSet<>(wanted);
    long from = from(target);
    Cuts cuts = Cuts.at(kept ? clock.last().own() : target);
    List<KeyRecord> records = new ArrayList<>();
    for (LocalStore store : stores) {
      Set<KeyBytes> keys = slices.keys(store, these);
      Map<KeyBytes, List<Deletes.Delete>> deletes = standing(store, cuts, from);
      deletes.keySet().stream()
          .filter(key -> slices.isIn(store, key.bytes(), these))
          .forEach(keys::add);
      ChangedKeys near =
          ChangedKeys.of(
              store,
              engine,
              new Near(from, from, cuts),
              keys,
              key -> slices.isIn(store, key, these),
              RestoreLimit.NONE.tally());
      for (Changed key : near.all()) {
        byte[] past = near.past(key, deletes.getOrDefault(key.key(), List.of()));
        byte[] now = key.now();
        records.add(
            new KeyRecord(
                new StoreKey(store.name(), key.key().bytes()),
                now == null ? new byte[0] : now,
                past == null ? KeyPast.unchanged(from) : KeyPast.contributedBy(node, past)));
      }
    }
    return records;
  }

  private void done(NodeMeta.Mark mark, NodeMeta.Pasts past, Repairs repairs) {
    commit(repairs, List.of(mark.toChange(), past.toChange()));
    last = mark;
    pasts = past;
  }

  private long sinceFor(long target) {
    return target - Math.min(target, convergenceWindowHlc);
  }

  /** The start of the convergence window, or the store's reach. */
  private long since(LocalStore store, long target) {
    return Math.max(store.past().exactReach(), sinceFor(target));
  }

  /** The start of the convergence window, or the reach of all stores. */
  private long from(long target) {
    return stores.stream().mapToLong(store -> since(store, target)).max().orElse(0);
  }

  private void noteUndone(LocalStore store, Cuts cuts) {
    long now = clock.last().own();
    if (cuts.isOne()) {
      store.deletes().undone(now, cuts.least());
    } else {
      store.deletes().undone(now, cuts.in(store.name()));
    }
  }

  private ChangedKeys changedKeys(
      LocalStore store, Cuts restored, Near near, RestoreLimit.Tally tally) {
    // A delete that found nothing here may cover versions elsewhere.
    Set<KeyBytes> deleted = new HashSet<>(deletedNear(store, restored));
    deleted.addAll(standing(store, near.cuts(), near.from()).keySet());
    return ChangedKeys.of(store, engine, near, deleted, tally);
  }

  private Set<KeyBytes> deletedNear(LocalStore store, Cuts cuts) {
    return standing(store, cuts, sinceFor(cuts.least())).keySet();
  }

  private static Map<KeyBytes, List<Deletes.Delete>> standing(
      LocalStore store, Cuts cuts, long since) {
    return store.deletes().standingAt(cuts.in(store.name()), since);
  }

  private static List<StoreKey> keys(List<ChangedKeys> changed) {
    List<StoreKey> keys = new ArrayList<>();
    for (ChangedKeys each : changed) {
      each.all().forEach(key -> keys.add(new StoreKey(each.store().name(), key.key().bytes())));
    }
    return List.copyOf(keys);
  }

  /**
   * Digests of this node's restored keys, for comparison. Omits keys with a delete, which may cover
   * versions of other nodes.
   */
  private Map<StoreKey, Replica> replicas(List<ChangedKeys> changed, Cuts cuts) {
    RecordDigest digest = new RecordDigest();
    Map<StoreKey, Replica> replicas = new HashMap<>();
    for (ChangedKeys each : changed) {
      LocalStore store = each.store();
      Set<KeyBytes> deleted = deletedNear(store, cuts);
      for (Changed key : each.all()) {
        List<Integer> nodes = store.replicas(key.key().bytes());
        if (nodes.contains(node) && !deleted.contains(key.key())) {
          Replica here = new Replica(digest.of(key.onTheCut()), nodes);
          replicas.put(new StoreKey(store.name(), key.key().bytes()), here);
        }
      }
    }
    return replicas;
  }

  /** The past of a key up to the cut of the last step; empty if unknown, or after a resume. */
  byte[] past(StoreKey key) {
    NodeMeta.Pasts known = pasts;
    if (known == null || last == null || !last.covers(known.epoch(), known.attempt())) {
      return new byte[0];
    }
    byte[] past = known.byKey().get(key);
    return past == null ? KeyPast.unchanged(known.from()) : KeyPast.contributedBy(node, past);
  }

  /** Call before the restore, whose own changes would enter the pasts. */
  private static NodeMeta.Pasts pasts(
      List<ChangedKeys> changed, NodeMeta.Mark mark, long from, Cuts cuts) {
    Map<StoreKey, byte[]> byKey = new LinkedHashMap<>();
    for (ChangedKeys each : changed) {
      LocalStore store = each.store();
      Map<KeyBytes, List<Deletes.Delete>> deletes = standing(store, cuts, from);
      for (Changed key : each.all()) {
        byte[] past = each.past(key, deletes.getOrDefault(key.key(), List.of()));
        if (past != null) {
          byKey.put(new StoreKey(store.name(), key.key().bytes()), past);
        }
      }
    }
    return new NodeMeta.Pasts(mark.epoch(), mark.attempt(), from, byKey);
  }

  /** Gives the keys of this node their merged versions. Returns the number of changed keys. */
  int merge(List<KeyRecord> records) {
    Repairs repairs = new Repairs(engine);
    long latest = 0;
    for (LocalStore store : stores) {
      List<KeyRecord> held =
          records.stream()
              .filter(record -> record.key().store().equals(store.name()))
              .filter(record -> store.isHeldBy(node, record.key().key()))
              .toList();
      latest = Math.max(latest, repairs.merge(store, held));
    }
    if (!repairs.all().isEmpty()) {
      // No version arrives here before its own write: a later cut would show it too early.
      Hvc unused = clock.tickPast(latest);
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
    // The log first, as in a write.
    for (Repair repair : repairs.all()) {
      repair.store().past().append(clock.tick().own(), repair.key(), repair.old());
    }
    changes.add(promise.apply(clock.last().own()));
    engine.commit(changes, Durability.SYNCED);
    repairsSincePause += repairs.all().size();
  }
}
