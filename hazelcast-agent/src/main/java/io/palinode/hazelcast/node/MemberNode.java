package io.palinode.hazelcast.node;

import io.palinode.detector.binding.NodeHealth;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.hazelcast.node.RestoredEntries.Restored;
import io.palinode.hazelcast.record.EntryKeys;
import io.palinode.hazelcast.record.EntryName;
import io.palinode.hazelcast.record.EntryRules;
import io.palinode.hazelcast.record.EntryValue;
import io.palinode.hvc.ClockDriftException;
import io.palinode.hvc.Hvc;
import io.palinode.retroscope.snapshot.History;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import io.palinode.store.binding.HlcSpan;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.store.binding.RestoreRefusedException;
import io.palinode.store.binding.RestoreRefusedException.Reason;
import io.palinode.store.binding.UndoEffect;
import io.palinode.store.engine.StorageEngine.Change;
import io.palinode.store.node.NodeBinding;
import io.palinode.store.node.NodeParts;
import io.palinode.store.node.RefusedClocks;
import io.palinode.store.order.ClockPromise;
import io.palinode.store.past.LocalStore;
import io.palinode.store.past.PastEvents;
import io.palinode.store.past.WatchedHistory;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The node of a Hazelcast member. It holds a copy of each entry of the member, logs what a change
 * replaces, and passes on the changes of the partitions that it owns.
 *
 * <p>A restore notes what entries were at its target, and changes neither a map nor a copy. The
 * detector reads the notes of the partitions that the member owns. A resume writes them into the
 * maps, and Hazelcast sends them to the backups. A backup has notes by its log: if the owner ends
 * before it has served, the backup writes them once it is the owner.
 *
 * <p>Thread-safe.
 */
public final class MemberNode extends NodeBinding {
  /** Records and window-log are in memory: nothing counts what a log on disk loses. */
  public static final PastEvents UNCOUNTED = new PastEvents(() -> {}, () -> {});

  private static final int OWNED = 1;

  private final NodeParts parts;
  private final LocalStore store;
  private final Maps maps;
  private final BooleanSupplier off;
  private final AtomicIntegerArray owned;
  private final RestoredEntries restored;
  private final MemberRestore restore;
  private final RefusedClocks refusedClocks = new RefusedClocks();

  /** Whether a pause waits for operations that have begun. */
  private volatile boolean isPausing;

  private volatile @Nullable WriteListener listener;

  /**
   * @param parts with the store {@link EntryKeys#STORE} of {@link EntryRules}
   * @param off whether the node misses changes from now on
   */
  public MemberNode(NodeParts parts, Maps maps, BooleanSupplier off) {
    super(parts);
    this.parts = parts;
    this.maps = maps;
    this.store = Objects.requireNonNull(parts.stores().find(EntryKeys.STORE));
    this.off = off;
    this.owned = new AtomicIntegerArray(maps.partitions());
    this.restored = new RestoredEntries(maps.partitions());
    this.restore = new MemberRestore(parts, store, maps, off, this::owns, restored);
  }

  /**
   * Stamps and logs a change, and passes it on if the node owns the partition. For one thread of
   * each key at a time. Does nothing for the removal of an absent key.
   *
   * @param value null: the entry is removed
   */
  public void changed(StoreKey key, int partition, @Nullable EntryValue value) {
    ordered(
        () -> {
          byte[] old = parts.stores().record(key);
          Restored planned = restored.has(partition) ? restored.find(key) : null;
          boolean isPaused = fence().paused();
          boolean isPlanned = planned != null && planned.isGiven(value);
          if (planned != null && (isPlanned || !isPaused)) {
            restored.remove(key, planned);
          }
          if (old == null && value == null) {
            return;
          }
          // The detector has what the plan restores.
          boolean isRead = isPlanned || (planned != null && isPaused);
          boolean isAnnounced = owns(partition) && !isRead;
          Hvc before = isAnnounced && isWatched(key) ? clock().tick() : null;
          Hvc after = clock().tick();
          byte[] record = record(after.own(), partition, value);
          boolean isLogged = false;
          try {
            parts.promise().cover(after.own(), ClockPromise.AHEAD_HLC);
            store.log(after.own(), key.key(), old);
            isLogged = true;
          } finally {
            hold(key, record);
            if (!isLogged) {
              missed();
            }
          }
          if (isAnnounced && isPaused) {
            // An eviction: the detector does not watch.
            missedWrite();
          } else if (before != null) {
            pass(key, record, before, after, node());
          }
        });
  }

  private byte @Nullable [] record(long stamp, int partition, @Nullable EntryValue value) {
    return value == null
        ? null
        : EntryRules.record(new EntryName(stamp, node(), partition, value.form()), value.bytes());
  }

  private void hold(StoreKey key, byte @Nullable [] record) {
    parts.stores().commit(new Change(key.store(), key.key(), record));
  }

  /**
   * An entry is here that another member has sent, or is gone because this member no longer holds
   * it. The reach begins again. Not passed on.
   *
   * @param value null: the entry is gone
   */
  public void replicated(StoreKey key, int partition, @Nullable EntryValue value) {
    ordered(
        () -> {
          long stamp = clock().tick().own();
          store.past().beginAgain(stamp);
          hold(key, record(stamp, partition, value));
        });
  }

  /** The store holds entries that it did not hold before: the reach begins again. */
  public void beginAgain() {
    ordered(() -> store.past().beginAgain(clock().tick().own()));
  }

  /** Some changes are not logged or not passed on. By any thread. */
  public void missed() {
    ordered(
        () -> {
          beginAgain();
          missedWrite();
        });
  }

  private void missedWrite() {
    WriteListener now = listener;
    if (now != null) {
      now.missedWrite();
    }
  }

  /** Whether the changes of a partition are passed on. By any thread. */
  public boolean owns(int partition) {
    return owned.get(partition) == OWNED;
  }

  /** From now on the changes of the partition are passed on, or are not. */
  public void own(int partition, boolean isOwned) {
    owned.set(partition, isOwned ? OWNED : 0);
  }

  /**
   * Passes on what a key has, because its partition is owned from now on; or nothing, because it no
   * longer is. Returns whether a predicate watches the key. As {@link #changed}.
   */
  public boolean announce(StoreKey key, boolean isOwned) {
    boolean[] isWatched = {false};
    ordered(
        () -> {
          isWatched[0] = isWatched(key);
          if (isWatched[0]) {
            byte[] now = isOwned ? present(key) : null;
            Hvc before = clock().tick();
            Hvc after = clock().tick();
            parts.promise().cover(after.own(), ClockPromise.AHEAD_HLC);
            pass(key, now, before, after, null);
          }
        });
    return isWatched[0];
  }

  /** Passes on that the entries of all partitions are another member's from now on. */
  public void disown() {
    scan(
        (key, versions) -> {
          boolean unused = announce(key, false);
        });
    for (int partition = 0; partition < owned.length(); partition++) {
      own(partition, false);
    }
  }

  private boolean isWatched(StoreKey key) {
    WriteListener now = listener;
    return now != null && now.watches(key);
  }

  private void pass(
      StoreKey key, byte @Nullable [] record, Hvc before, Hvc after, @Nullable Integer origin) {
    WriteListener now = listener;
    if (now != null) {
      List<Version> versions = store.versions(record);
      Version written = record == null ? null : versions.get(0);
      now.written(new WriteEvent(key, versions, written, before, after, "", origin));
    }
  }

  /** {@inheritDoc} A later listener replaces the earlier one, whose detector failed. */
  @Override
  public void listen(WriteListener next) {
    listener = next;
  }

  @Override
  public boolean passesEveryWrite() {
    return !off.getAsBoolean();
  }

  /** {@inheritDoc} None of a key that another member owns. */
  @Override
  public List<Version> siblings(StoreKey key) {
    return store.versions(present(key));
  }

  /** The record of an entry that the member owns, as a plan has restored it. */
  private byte @Nullable [] present(StoreKey key) {
    Restored planned = restored.find(key);
    if (planned != null && owns(planned.partition())) {
      return record(planned);
    }
    byte[] record = parts.stores().record(key);
    return record == null || !isOwned(record) ? null : record;
  }

  private static byte @Nullable [] record(Restored planned) {
    return planned.hasEnded() ? null : planned.record();
  }

  /** {@inheritDoc} Without the keys that other members own. */
  @Override
  public void scan(ScanVisitor visitor) {
    parts
        .stores()
        .engine()
        .scan(
            EntryKeys.STORE,
            (bytes, record) -> {
              StoreKey key = new StoreKey(EntryKeys.STORE, bytes);
              if (isOwned(record) && restored.find(key) == null) {
                visitor.visit(key, store.versions(record));
              }
            });
    restored.forEach(
        (key, planned) -> {
          byte[] record = owns(planned.partition()) ? record(planned) : null;
          if (record != null) {
            visitor.visit(key, store.versions(record));
          }
        });
  }

  private boolean isOwned(byte[] record) {
    return owns(EntryRules.nameOf(record).partition());
  }

  /** {@inheritDoc} The owner alone publishes. */
  @Override
  public List<Integer> replicas(StoreKey key) {
    return List.of(node());
  }

  @Override
  public void followAccesses(boolean wanted) {}

  @Override
  public History history() {
    return new WatchedHistory(
        super.history(), () -> off.getAsBoolean() ? WatchedHistory.OFF : 0, hlc -> {});
  }

  /** {@inheritDoc} Always now once the node is off. */
  @Override
  public long reach() {
    return off.getAsBoolean() ? clock().last().own() : super.reach();
  }

  @Override
  public String operationsNotJudged() {
    return "node %d is a Hazelcast member".formatted(node());
  }

  @Override
  public NodeHealth health() {
    return healthOfServer(refusedClocks);
  }

  /** The clock of another member was too far ahead. */
  public void clockRefused(ClockDriftException refused) {
    refusedClocks.add(refused);
  }

  /**
   * Whether a partition admits no client and does not move: during a plan, and until a new owner
   * has written what a plan restored. By any thread.
   */
  public boolean refuses(int partition) {
    return isPausing || fence().paused() || restored.has(partition);
  }

  /** {@inheritDoc} Operations that have begun end first. */
  @Override
  public long pause(long epoch) {
    isPausing = true;
    try {
      if (epoch > fence().epoch()) {
        // Of an earlier plan that has ended.
        writeRestored();
      }
      maps.awaitBegun();
      return super.pause(epoch);
    } finally {
      isPausing = false;
    }
  }

  /** {@inheritDoc} Returns the keys that the member owns. */
  @Override
  public Restoration restore(long epoch, int attempt, long target) {
    return parts
        .order()
        .alone(
            () -> {
              parts.fence().requirePaused();
              return restore.restore(epoch, attempt, target, reach());
            });
  }

  @Override
  public long restoredEpoch() {
    return parts.order().alone(restore::epoch);
  }

  /** {@inheritDoc} Writes the restored entries into the maps first. */
  @Override
  public void resume(long epoch, long target, long sequentialUntilMicros, MissedEpochs missed) {
    writeRestored();
    super.resume(epoch, target, sequentialUntilMicros, missed);
  }

  /**
   * Writes what a plan has restored into the maps of the partitions that the member owns. Throws if
   * one is not written. Not in a partition's thread.
   */
  public void writeRestored() {
    for (StoreKey ended : restore.write()) {
      // The detector may have read it before its end.
      boolean unused = announce(ended, true);
    }
  }

  /** {@inheritDoc} Its maps have what it restored, and so do their backups. */
  @Override
  public void served(int other, long epoch) {
    restore.served(other, epoch);
  }

  @Override
  public Restoration restore(long epoch, int attempt, long target, Map<Long, Long> keys) {
    throw new RestoreRefusedException(
        Reason.ONLY_ALL, "a Hazelcast member has no access log: it restores all keys");
  }

  @Override
  public Restoration restoreFrom(long epoch, int attempt, OpenSnapshot part) {
    throw new RestoreRefusedException(
        Reason.NO_SNAPSHOT, "a Hazelcast member takes no snapshots that it can be restored from");
  }

  /** {@inheritDoc} Hazelcast keeps the backups, so nothing is compared. */
  @Override
  public Restoration keep(long epoch, int attempt, long target) {
    restore.keep();
    return new Restoration(0, List.of());
  }

  @Override
  public Restoration keepAll(long epoch, int attempt) {
    return new Restoration(0, List.of());
  }

  @Override
  public List<KeyRecord> readSlices(List<StoreKey> slices, long target, boolean kept) {
    return List.of();
  }

  @Override
  public List<KeyRecord> read(List<StoreKey> keys) {
    return List.of();
  }

  @Override
  public int merge(List<KeyRecord> records) {
    return 0;
  }

  @Override
  public boolean visitChanges(long after, Predicate<StoreKey> wanted, ChangeVisitor visitor) {
    return after >= reach() && super.visitChanges(after, wanted, visitor);
  }

  @Override
  public UndoEffect effect(long target, List<HlcSpan> except, Map<Long, Long> keys) {
    throw new UnsupportedOperationException("this node cannot restore single keys");
  }
}
