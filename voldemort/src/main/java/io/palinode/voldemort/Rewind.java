package io.palinode.voldemort;

import io.palinode.detector.StoreBinding.KeyRecord;
import io.palinode.detector.StoreBinding.Replica;
import io.palinode.detector.StoreBinding.Restoration;
import io.palinode.detector.StoreKey;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.HvcClock;
import io.palinode.retroscope.Diff;
import io.palinode.voldemort.Repairs.Repair;
import io.palinode.voldemort.StorageEngine.Change;
import io.palinode.voldemort.StorageEngine.Durability;
import io.palinode.voldemort.protocol.Versioned;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
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
    this.last = NodeMeta.Mark.read(engine);
    this.pasts = NodeMeta.Pasts.read(engine);
  }

  /** From here on, what this object changes is not counted among the writes that it undoes. */
  void paused() {
    repairsSincePause = 0;
  }

  /** The other nodes have heard what this one knew of the past: it is of no use any more. */
  void resumed() {
    pasts = null;
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

  /** Throws {@link io.palinode.retroscope.OutOfReachException} and changes nothing. */
  Restoration restore(Collection<LocalStore> stores, long epoch, int attempt, long target) {
    Repairs repairs = new Repairs(engine);
    long undone = -repairsSincePause;
    for (LocalStore store : stores) {
      try (Diff diff = store.past().diffTo(target)) {
        undone += diff.entries();
        repairs.undo(store, diff);
      }
    }
    List<StoreKey> changed = changedNear(stores, target);
    Restoration restoration =
        new Restoration(undone, changed, replicas(stores, changed, repairs, target));
    NodeMeta.Mark mark = new NodeMeta.Mark(epoch, attempt, restoration);
    NodeMeta.Pasts past = pasts(stores, mark, sinceFor(target), target);
    // Before it is: a delete that is taken for undone loses nothing, one that wrongly stands does.
    stores.forEach(store -> store.deletes().undone(clock.last().own(), target));
    done(mark, past, repairs);
    return restoration;
  }

  /** Undoes nothing; the cut is what is there now. */
  Restoration keep(Collection<LocalStore> stores, long epoch, int attempt, long target) {
    Restoration restoration = new Restoration(0, changedNear(stores, target));
    NodeMeta.Mark mark = new NodeMeta.Mark(epoch, attempt, restoration);
    long now = clock.tick().own();
    done(mark, pasts(stores, mark, sinceFor(target), now), new Repairs(engine));
    return restoration;
  }

  private void done(NodeMeta.Mark mark, NodeMeta.Pasts past, Repairs repairs) {
    commit(repairs, List.of(mark.toChange(), past.toChange()));
    last = mark;
    pasts = past;
  }

  private long sinceFor(long target) {
    return target - Math.min(target, convergenceWindowHlc);
  }

  private List<StoreKey> changedNear(Collection<LocalStore> stores, long target) {
    Set<StoreKey> changed = new LinkedHashSet<>();
    for (LocalStore store : stores) {
      long since = Math.max(store.past().reach(), sinceFor(target));
      try (Diff near = store.past().diffTo(since)) {
        near.forEach((key, then) -> changed.add(new StoreKey(store.name(), key)));
      }
      // Some found nothing here: there may be something elsewhere.
      Set<KeyBytes> deleted = store.deletes().standingAt(target, since).keySet();
      deleted.forEach(key -> changed.add(new StoreKey(store.name(), key.bytes())));
    }
    return List.copyOf(changed);
  }

  /**
   * What this node will have of the keys that live here, for others to compare; not of those of
   * which it knows a delete, which may cover what others have.
   */
  private Map<StoreKey, Replica> replicas(
      Collection<LocalStore> stores, List<StoreKey> changed, Repairs repairs, long target) {
    Map<StoreKey, Repair> repaired = new HashMap<>();
    for (Repair repair : repairs.all()) {
      repaired.put(new StoreKey(repair.store().name(), repair.key()), repair);
    }
    RecordDigest digest = new RecordDigest();
    Map<StoreKey, Replica> replicas = new HashMap<>();
    for (LocalStore store : stores) {
      Set<KeyBytes> deleted = store.deletes().standingAt(target, sinceFor(target)).keySet();
      for (StoreKey key : changed) {
        if (!key.store().equals(store.name()) || deleted.contains(new KeyBytes(key.key()))) {
          continue;
        }
        List<Integer> nodes = store.ring().preferenceList(key.key());
        if (nodes.contains(node)) {
          Repair repair = repaired.get(key);
          byte[] record = repair == null ? engine.get(store.name(), key.key()) : repair.fresh();
          replicas.put(key, new Replica(digest.of(record), nodes.size()));
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
    return past == null ? KeyPast.unchanged(known.from()).encode() : past;
  }

  /** Before the restore, while the window-log still tells of the time before it alone. */
  private NodeMeta.Pasts pasts(
      Collection<LocalStore> stores, NodeMeta.Mark mark, long since, long target) {
    long from = since;
    for (LocalStore store : stores) {
      from = Math.max(from, store.past().reach());
    }
    Map<StoreKey, byte[]> byKey = new LinkedHashMap<>();
    for (LocalStore store : stores) {
      addPasts(store, from, target, byKey);
    }
    return new NodeMeta.Pasts(mark.epoch(), mark.attempt(), from, byKey);
  }

  private void addPasts(LocalStore store, long from, long target, Map<StoreKey, byte[]> pastByKey) {
    Map<KeyBytes, KeyPast.Builder> builders = new LinkedHashMap<>();
    store
        .past()
        .forEachBetween(
            from,
            target,
            (hlc, key, old) ->
                builders
                    .computeIfAbsent(new KeyBytes(key), k -> new KeyPast.Builder(from))
                    .changed(hlc, LocalStore.versions(old)));
    Map<KeyBytes, byte[]> changedLater = new HashMap<>();
    Set<KeyBytes> absentThen = new HashSet<>();
    try (Diff later = store.past().diffTo(target)) {
      later.forEach(
          (key, then) -> {
            if (then == null) {
              absentThen.add(new KeyBytes(key));
            } else {
              changedLater.put(new KeyBytes(key), then);
            }
          });
    }
    Map<KeyBytes, List<Deletes.Delete>> deletes = store.deletes().standingAt(target, from);
    deletes.keySet().forEach(key -> builders.putIfAbsent(key, new KeyPast.Builder(from)));
    builders.forEach(
        (key, builder) -> {
          byte[] now = absentThen.contains(key) ? null : engine.get(store.name(), key.bytes());
          List<Versioned> then = LocalStore.versions(changedLater.getOrDefault(key, now));
          KeyPast past = builder.build(then, deletes.getOrDefault(key, List.of()));
          pastByKey.put(new StoreKey(store.name(), key.bytes()), past.encode());
        });
  }

  /** Makes keys that live on this node what all nodes together know of them. */
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
    // First the log, as with a write.
    for (Repair repair : repairs.all()) {
      repair.store().past().append(clock.tick().own(), repair.key(), repair.old());
    }
    changes.add(promise.apply(clock.last().own()));
    engine.commit(changes, Durability.SYNCED);
    repairsSincePause += repairs.all().size();
  }
}
