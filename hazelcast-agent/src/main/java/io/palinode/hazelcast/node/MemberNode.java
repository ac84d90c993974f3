package io.palinode.hazelcast.node;

import io.palinode.detector.binding.NodeHealth;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.hazelcast.record.EntryKeys;
import io.palinode.hazelcast.record.EntryName;
import io.palinode.hazelcast.record.EntryRules;
import io.palinode.hvc.Hvc;
import io.palinode.retroscope.snapshot.History;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import io.palinode.store.binding.HlcSpan;
import io.palinode.store.binding.RestoreRefusedException;
import io.palinode.store.binding.RestoreRefusedException.Reason;
import io.palinode.store.binding.UndoEffect;
import io.palinode.store.engine.StorageEngine.Change;
import io.palinode.store.node.NodeBinding;
import io.palinode.store.node.NodeParts;
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
 * replaces, and passes on the changes of the partitions that it owns. It restores nothing.
 * Thread-safe.
 */
public final class MemberNode extends NodeBinding {
  /** Records and window-log are in memory: nothing counts what a log on disk loses. */
  public static final PastEvents UNCOUNTED = new PastEvents(() -> {}, () -> {});

  private static final int OWNED = 1;

  private final NodeParts parts;
  private final LocalStore store;
  private final BooleanSupplier off;
  private final AtomicIntegerArray owned;
  private volatile @Nullable WriteListener listener;

  /**
   * @param parts with the store {@link EntryKeys#STORE} of {@link EntryRules}
   * @param partitions their number
   * @param off whether the node misses changes from now on
   */
  public MemberNode(NodeParts parts, int partitions, BooleanSupplier off) {
    super(parts);
    this.parts = parts;
    this.store = Objects.requireNonNull(parts.stores().find(EntryKeys.STORE));
    this.off = off;
    this.owned = new AtomicIntegerArray(partitions);
  }

  /**
   * Stamps and logs a change, and passes it on if the node owns the partition. For one thread of
   * each key at a time. Does nothing for the removal of an absent key.
   *
   * @param value null: the entry is removed
   */
  public void changed(StoreKey key, int partition, byte @Nullable [] value) {
    ordered(
        () -> {
          byte[] old = parts.stores().record(key);
          if (old == null && value == null) {
            return;
          }
          Hvc before = clock().tick();
          Hvc after = clock().tick();
          Version now =
              value == null
                  ? null
                  : EntryRules.version(new EntryName(after.own(), node(), partition), value);
          boolean isLogged = false;
          try {
            parts.promise().cover(after.own(), ClockPromise.AHEAD_HLC);
            store.log(after.own(), key.key(), old);
            isLogged = true;
          } finally {
            hold(key, now);
            if (!isLogged) {
              missed();
            }
          }
          if (fence().paused()) {
            // The node applies what a plan would refuse, and its detector does not watch.
            missed();
          } else if (owns(partition)) {
            boolean unused = pass(key, now, before, after, node());
          }
        });
  }

  private void hold(StoreKey key, @Nullable Version now) {
    byte[] record = now == null ? null : store.record(List.of(now));
    parts.stores().commit(new Change(key.store(), key.key(), record));
  }

  /**
   * An entry is here that another member has sent, or is gone because this member no longer holds
   * it. The reach begins again. Not passed on.
   *
   * @param value null: the entry is gone
   */
  public void replicated(StoreKey key, int partition, byte @Nullable [] value) {
    ordered(
        () -> {
          long stamp = clock().tick().own();
          store.past().beginAgain(stamp);
          hold(
              key,
              value == null
                  ? null
                  : EntryRules.version(new EntryName(stamp, node(), partition), value));
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
          WriteListener now = listener;
          if (now != null) {
            now.missedWrite();
          }
        });
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
          Version now = isOwned ? held(key) : null;
          Hvc before = clock().tick();
          Hvc after = clock().tick();
          parts.promise().cover(after.own(), ClockPromise.AHEAD_HLC);
          isWatched[0] = pass(key, now, before, after, null);
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

  private @Nullable Version held(StoreKey key) {
    List<Version> versions = store.versions(parts.stores().record(key));
    return versions.isEmpty() ? null : versions.get(0);
  }

  private boolean pass(
      StoreKey key, @Nullable Version version, Hvc before, Hvc after, @Nullable Integer origin) {
    WriteListener now = listener;
    if (now == null || !now.watches(key)) {
      return false;
    }
    List<Version> versions = version == null ? List.of() : List.of(version);
    now.written(new WriteEvent(key, versions, version, before, after, "", origin));
    return true;
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
    byte[] record = parts.stores().record(key);
    return record == null || !isOwned(record) ? List.of() : store.versions(record);
  }

  /** {@inheritDoc} Without the keys that other members own. */
  @Override
  public void scan(ScanVisitor visitor) {
    parts
        .stores()
        .engine()
        .scan(
            EntryKeys.STORE,
            (key, record) -> {
              if (isOwned(record)) {
                visitor.visit(new StoreKey(EntryKeys.STORE, key), store.versions(record));
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
    return new WatchedHistory(super.history(), () -> off.getAsBoolean() ? WatchedHistory.OFF : 0);
  }

  /** {@inheritDoc} Always now once the node is off. */
  @Override
  public long reach() {
    return off.getAsBoolean() ? clock().last().own() : super.reach();
  }

  @Override
  public String watchedOnly() {
    return "node %d is a Hazelcast member".formatted(node());
  }

  @Override
  public String operationsNotJudged() {
    return watchedOnly();
  }

  @Override
  public NodeHealth health() {
    return healthOfServer();
  }

  @Override
  public Restoration restore(long epoch, int attempt, long target) {
    throw refused();
  }

  @Override
  public Restoration restore(long epoch, int attempt, long target, Map<Long, Long> keys) {
    throw refused();
  }

  @Override
  public Restoration restoreFrom(long epoch, int attempt, OpenSnapshot part) {
    throw refused();
  }

  private RestoreRefusedException refused() {
    return new RestoreRefusedException(
        Reason.NOT_WATCHING,
        watchedOnly() + ", whose maps are not restored; run 'palinode rollback abandon'");
  }

  /** {@inheritDoc} The maps stay as they are, so nothing is compared. */
  @Override
  public Restoration keep(long epoch, int attempt, long target) {
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
  public UndoEffect effect(long target, List<HlcSpan> except) {
    throw new UnsupportedOperationException("this node restores nothing");
  }

  @Override
  public UndoEffect effect(long target, List<HlcSpan> except, Map<Long, Long> keys) {
    throw new UnsupportedOperationException("this node restores nothing");
  }
}
