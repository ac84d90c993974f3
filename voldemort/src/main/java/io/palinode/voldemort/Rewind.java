package io.palinode.voldemort;

import io.palinode.detector.RestoreRefusedException;
import io.palinode.detector.RestoreRefusedException.Reason;
import io.palinode.detector.StoreBinding.KeyRecord;
import io.palinode.detector.StoreBinding.Replica;
import io.palinode.detector.StoreBinding.Restoration;
import io.palinode.detector.StoreKey;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcClock;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import io.palinode.voldemort.ChangedKeys.Changed;
import io.palinode.voldemort.ChangedKeys.Near;
import io.palinode.voldemort.Repairs.Repair;
import io.palinode.voldemort.StorageEngine.Change;
import io.palinode.voldemort.StorageEngine.Durability;
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
 * Takes the records of a paused node back, and completes them from other replicas. Each step is one
 * synced transaction, and is itself in the window-logs, as writes of the moment in which it was
 * done: so a later step may choose any other target in reach. Used by one thread at a time.
 */
final class Rewind {
  private final int node;
  private final StorageEngine engine;
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
   * @param promise what makes it known to the node's next life that this one wrote at that HLC
   */
  Rewind(
      StoreNodeConfig config, StorageEngine engine, HvcClock clock, LongFunction<Change> promise) {
    this.node = config.nodeId();
    this.engine = engine;
    this.clock = clock;
    this.promise = promise;
    this.convergenceWindowHlc = Hlc.ofMicros(config.convergenceWindow().toNanos() / 1_000);
    this.limit = config.restores();
    this.slices = new KeySlices(node, engine);
    this.last = NodeMeta.Mark.read(engine);
    this.pasts = NodeMeta.Pasts.read(engine);
  }

  /** From here on, what this object changes is not counted among the writes that it undoes. */
  void paused() {
    repairsSincePause = 0;
  }

  /** The other nodes have heard what this one did and knew: it is of no use any more. */
  void resumed() {
    pasts = null;
    last = withoutKeys();
  }

  /** To be committed before {@link #resumed}: the same on disk. */
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

  /** The epoch of the last restore that was done; 0: there was none. */
  long restoredEpoch() {
    return last == null ? 0 : last.epoch();
  }

  /**
   * Throws {@link io.palinode.retroscope.OutOfReachException}, or {@link
   * io.palinode.detector.RestoreRefusedException}, and changes nothing.
   */
  Restoration restore(Collection<LocalStore> stores, long epoch, int attempt, Cuts cuts) {
    long target = cuts.least();
    RestoreLimit.Tally tally = limit.tally();
    List<ChangedKeys> changed = new ArrayList<>(stores.size());
    for (LocalStore store : stores) {
      long since = Math.min(target, since(store, target));
      changed.add(changedKeys(store, cuts, new Near(since, from(stores, target), cuts), tally));
    }
    Repairs repairs = new Repairs(engine);
    long undone = -repairsSincePause;
    for (ChangedKeys each : changed) {
      undone += each.changesAfter();
      repairs.undo(each);
    }
    Restoration restoration = new Restoration(undone, keys(changed), replicas(changed, cuts));
    NodeMeta.Mark mark = new NodeMeta.Mark(epoch, attempt, restoration);
    NodeMeta.Pasts past = pasts(changed, mark, from(stores, target), cuts);
    // Before it is: a delete that is taken for undone loses nothing, one that wrongly stands does.
    stores.forEach(store -> noteUndone(store, cuts));
    done(mark, past, repairs);
    return restoration;
  }

  /**
   * Undoes nothing; the cut is what is there now. Throws {@link
   * io.palinode.detector.RestoreRefusedException} and changes nothing.
   */
  Restoration keep(Collection<LocalStore> stores, long epoch, int attempt, long target) {
    long from = from(stores, target);
    if (from > target) {
      // It may have reached it when it was paused: what was undone since is in the window-log too.
      throw new RestoreRefusedException(
          Reason.FORGOTTEN,
          "which keys changed since %s is not known any more, only since %s"
              .formatted(Hlc.format(target), Hlc.format(from)));
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

  /** The last epoch whose plan compares all keys, as far as this incarnation knows; 0: none. */
  long comparedEpoch() {
    return comparedEpoch;
  }

  /** Undoes nothing, and tells slices of all keys. A repeat reads them anew. */
  Restoration keepAll(Collection<LocalStore> stores, long epoch, int attempt) {
    comparedEpoch = epoch;
    NodeMeta.Mark mark = new NodeMeta.Mark(epoch, attempt, new Restoration(0, List.of()));
    if (last == null || !last.covers(epoch, attempt)) {
      commit(new Repairs(engine), List.of(mark.toChange(), NodeMeta.Pasts.removal()));
      last = mark;
      pasts = null;
    }
    Map<StoreKey, Replica> digests = slices.digests(stores);
    return new Restoration(0, List.copyOf(digests.keySet()), digests);
  }

  /**
   * Goes to the cut of a snapshot; see {@link SnapshotRestore}. A repeat goes on where it was cut
   * short, and of what is done reads the digests anew.
   */
  Restoration restoreFrom(
      Collection<LocalStore> stores, long epoch, int attempt, OpenSnapshot part) {
    for (LocalStore store : stores) {
      if (!part.stores().contains(store.name())) {
        throw new RestoreRefusedException(
            Reason.NO_SNAPSHOT, "the snapshot has no store '%s'".formatted(store.name()));
      }
    }
    if (last == null || !last.covers(epoch, attempt)) {
      long undone = restoreAll(stores, epoch, attempt, part);
      NodeMeta.Mark mark = new NodeMeta.Mark(epoch, attempt, new Restoration(undone, List.of()));
      commit(new Repairs(engine), List.of(mark.toChange(), NodeMeta.Pasts.removal()));
      last = mark;
      pasts = null;
    }
    Map<StoreKey, Replica> digests = slices.digests(stores);
    long undone = last == null ? 0 : last.restoration().undoneWrites();
    return new Restoration(undone, List.copyOf(digests.keySet()), digests);
  }

  private long restoreAll(
      Collection<LocalStore> stores, long epoch, int attempt, OpenSnapshot part) {
    // From here on the records are no more those of the epoch before, though the attempt is not
    // done.
    NodeMeta.Mark begun = new NodeMeta.Mark(epoch, attempt - 1, new Restoration(0, List.of()));
    commit(new Repairs(engine), List.of(begun.toChange(), NodeMeta.Pasts.removal()));
    last = begun;
    pasts = null;
    // Before it is: a delete that is taken for undone loses nothing, one that wrongly stands does.
    stores.forEach(store -> store.deletes().undone(clock.last().own(), part.hlc()));
    SnapshotRestore restore =
        new SnapshotRestore(engine, part, repairs -> commit(repairs, List.of()));
    return stores.stream().mapToLong(restore::of).sum();
  }

  /**
   * What this node has of the keys in these slices, and knows of how they came about up to the cut:
   * of {@code target}, or of now when {@code kept}. Holds all of it.
   */
  List<KeyRecord> readSlices(
      Collection<LocalStore> stores, Collection<StoreKey> wanted, long target, boolean kept) {
    Set<StoreKey> these = new HashSet<>(wanted);
    long from = from(stores, target);
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
                past == null ? KeyPast.unchanged(from) : KeyPast.toldBy(node, past)));
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

  /** As far as the store reaches. */
  private long since(LocalStore store, long target) {
    return Math.max(store.past().exactReach(), sinceFor(target));
  }

  /** As far as all of them reach. */
  private long from(Collection<LocalStore> stores, long target) {
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
    // Some deletes found nothing here: there may be something elsewhere.
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
   * What this node will have of the keys that live here, for others to compare; not of those of
   * which it knows a delete, which may cover what others have.
   */
  private Map<StoreKey, Replica> replicas(List<ChangedKeys> changed, Cuts cuts) {
    RecordDigest digest = new RecordDigest();
    Map<StoreKey, Replica> replicas = new HashMap<>();
    for (ChangedKeys each : changed) {
      LocalStore store = each.store();
      Set<KeyBytes> deleted = deletedNear(store, cuts);
      for (Changed key : each.all()) {
        List<Integer> nodes = store.ring().preferenceList(key.key().bytes());
        if (nodes.contains(node) && !deleted.contains(key.key())) {
          Replica here = new Replica(digest.of(key.onTheCut()), nodes);
          replicas.put(new StoreKey(store.name(), key.key().bytes()), here);
        }
      }
    }
    return replicas;
  }

  /**
   * How a key came to what it is on the cut of the last restore; empty: not known, or the node has
   * resumed since.
   */
  byte[] past(StoreKey key) {
    NodeMeta.Pasts known = pasts;
    if (known == null || last == null || !last.covers(known.epoch(), known.attempt())) {
      return new byte[0];
    }
    byte[] past = known.byKey().get(key);
    return past == null ? KeyPast.unchanged(known.from()) : KeyPast.toldBy(node, past);
  }

  /** Before the restore, while the window-log still tells of the time before it alone. */
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

  /** Makes keys that live on this node what all nodes together know of them. */
  int merge(Collection<LocalStore> stores, List<KeyRecord> records) {
    Repairs repairs = new Repairs(engine);
    long told = 0;
    for (LocalStore store : stores) {
      List<KeyRecord> held =
          records.stream()
              .filter(record -> record.key().store().equals(store.name()))
              .filter(record -> store.isHeldBy(node, record.key().key()))
              .toList();
      told = Math.max(told, repairs.merge(store, held));
    }
    if (!repairs.all().isEmpty()) {
      // No version comes here before it came to be: a later cut would have it too early.
      Hvc unused = clock.tickPast(told);
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
    // First the log, as with a write.
    for (Repair repair : repairs.all()) {
      repair.store().past().append(clock.tick().own(), repair.key(), repair.old());
    }
    changes.add(promise.apply(clock.last().own()));
    engine.commit(changes, Durability.SYNCED);
    repairsSincePause += repairs.all().size();
  }
}
