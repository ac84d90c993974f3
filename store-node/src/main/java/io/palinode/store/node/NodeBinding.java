package io.palinode.store.node;

import io.palinode.detector.binding.NodeHealth;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.hvc.HvcClock;
import io.palinode.retroscope.snapshot.History;
import io.palinode.retroscope.snapshot.RollbackTimes;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import io.palinode.store.affected.Trace;
import io.palinode.store.binding.HlcSpan;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.store.binding.SequentialKeys;
import io.palinode.store.binding.StoreBinding;
import io.palinode.store.binding.UndoEffect;
import io.palinode.store.engine.StorageException;
import io.palinode.store.engine.StorageHealth;
import io.palinode.store.order.ClockPromise;
import io.palinode.store.order.FenceState;
import io.palinode.store.past.Accesses;
import io.palinode.store.past.LocalStore;
import io.palinode.store.past.NodeHistory;
import io.palinode.store.past.NodePast;
import io.palinode.store.restore.NodeRestore;
import io.palinode.store.restore.NodeRollback;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node as the detector and the control duties see it, over its {@link NodeParts}. A store extends
 * it with its clients' requests, {@link #listen} and {@link #health}. Thread-safe.
 */
public abstract class NodeBinding implements StoreBinding, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(NodeBinding.class);

  private final NodeParts parts;
  private final NodeHistory history;
  private final NodePast past;
  private final NodeRollback rollback;

  /** Guarded by the write lock. */
  private boolean closed;

  /** The node closes the engine of {@code parts}. */
  protected NodeBinding(NodeParts parts) {
    NodeSettings settings = parts.spec().settings();
    this.parts = parts;
    this.history = new NodeHistory(parts.stores(), parts.clock(), parts.order().writeLock());
    this.past = new NodePast(parts.stores(), parts.fence(), parts.writers(), history::settle);
    NodeRestore restore =
        new NodeRestore(
            parts.stores(),
            parts.clock(),
            parts.promise()::change,
            settings.convergenceWindow(),
            settings.restores());
    this.rollback =
        new NodeRollback(parts.order(), parts.stores(), parts.clock(), parts.fence(), restore);
    log.info("node={} phase=OPEN incarnation={} epoch={}", node(), incarnation(), fence().epoch());
  }

  /** What stands for a key in {@link #accesses}; the same at all nodes. */
  public static long keyOfAccess(StoreKey key) {
    return Accesses.keyOf(key.store(), key.key());
  }

  public NodePast past() {
    return past;
  }

  public NodeRollback rollback() {
    return rollback;
  }

  /** The stores at any time in reach; usable until the node is closed. */
  public History history() {
    return history;
  }

  public FenceState fence() {
    return parts.fence().state();
  }

  /** The keys that clients use with R + W > N. */
  public List<SequentialKeys> sequential() {
    return parts.fence().sequential();
  }

  public long safePoint() {
    return parts.fence().safePoint();
  }

  /** Since when, and why, the storage refuses records; null if it does not. */
  public StorageHealth.@Nullable Refusal storageRefusal() {
    return parts.health().refusal();
  }

  /** The health of a node that receives no clocks. */
  protected NodeHealth healthOfServer() {
    return healthOfServer(new RefusedClocks());
  }

  protected NodeHealth healthOfServer(RefusedClocks refused) {
    return refused.health(parts.spec().settings().clocks(), parts.health());
  }

  /**
   * Keeps at least half of {@code aheadHlc} promised beyond the clock. If a thread that may wait
   * for the disk calls this often enough, no write has to. After a kill, the next incarnation
   * starts later by at most that time. Throws {@link StorageException}.
   */
  public void promiseAhead(long aheadHlc) {
    parts.order().sharedLock().lock();
    try {
      parts.promise().keepAhead(clock().last().own(), aheadHlc);
    } finally {
      parts.order().sharedLock().unlock();
    }
  }

  @Override
  public int node() {
    return parts.spec().node();
  }

  @Override
  public int nodes() {
    return parts.spec().nodes();
  }

  @Override
  public long incarnation() {
    return parts.incarnation();
  }

  @Override
  public HvcClock clock() {
    return parts.clock();
  }

  @Override
  public Set<String> stores() {
    return parts.stores().names();
  }

  @Override
  public void pass(long hlc) {
    atomically(
        () -> parts.promise().extendTo(clock().tickPast(hlc).own() + ClockPromise.AHEAD_HLC));
  }

  @Override
  public boolean promises(long hlc) {
    return parts.promise().promises(hlc);
  }

  @Override
  public long unpromisedMicros() {
    return parts.promise().unpromisedMicros();
  }

  @Override
  public void atomically(Runnable action) {
    parts.order().atomically(action);
  }

  @Override
  public void ordered(Runnable action) {
    parts.order().ordered(action);
  }

  @Override
  public long reach() {
    return past.exactReach();
  }

  /**
   * {@inheritDoc} A pause for the current epoch changes nothing. Throws {@link
   * IllegalStateException} for an older epoch.
   */
  @Override
  public long pause(long epoch) {
    return rollback.pause(epoch);
  }

  @Override
  public Restoration restore(long epoch, int attempt, long target) {
    return rollback.restore(epoch, attempt, target);
  }

  @Override
  public Restoration restore(long epoch, int attempt, long target, Map<Long, Long> keys) {
    return rollback.restore(epoch, attempt, target, keys);
  }

  @Override
  public Restoration restoreFrom(long epoch, int attempt, OpenSnapshot part) {
    return rollback.restoreFrom(epoch, attempt, part);
  }

  @Override
  public Restoration keep(long epoch, int attempt, long target) {
    return rollback.keep(epoch, attempt, target);
  }

  @Override
  public Restoration keepAll(long epoch, int attempt) {
    return rollback.keepAll(epoch, attempt);
  }

  @Override
  public long restoredEpoch() {
    return rollback.restoredEpoch();
  }

  @Override
  public boolean visitChanges(long after, Predicate<StoreKey> wanted, ChangeVisitor visitor) {
    return past.visitChanges(after, wanted, visitor);
  }

  @Override
  public UndoEffect effect(long target, List<HlcSpan> except) {
    return past.effect(target, except);
  }

  @Override
  public UndoEffect effect(long target, List<HlcSpan> except, Map<Long, Long> keys) {
    return past.effect(target, except, keys);
  }

  @Override
  public List<KeyRecord> readSlices(List<StoreKey> slices, long target, boolean kept) {
    return rollback.readSlices(slices, target, kept);
  }

  @Override
  public List<KeyRecord> read(List<StoreKey> keys) {
    return rollback.read(keys);
  }

  @Override
  public int merge(List<KeyRecord> records) {
    return rollback.merge(records);
  }

  @Override
  public void resume(long epoch, long target, long sequentialUntilMicros) {
    resume(epoch, target, sequentialUntilMicros, MissedEpochs.NONE);
  }

  /** {@inheritDoc} Throws {@link IllegalStateException} for an older epoch than the current one. */
  @Override
  public void resume(long epoch, long target, long sequentialUntilMicros, MissedEpochs missed) {
    rollback.resume(epoch, target, sequentialUntilMicros, missed);
  }

  @Override
  public List<Integer> replicas(StoreKey key) {
    return parts.stores().replicas(key);
  }

  @Override
  public List<Version> siblings(StoreKey key) {
    return parts.stores().of(key).versions(parts.stores().record(key));
  }

  @Override
  public void scan(ScanVisitor visitor) {
    for (LocalStore store : parts.stores().all()) {
      parts
          .stores()
          .engine()
          .scan(
              store.name(),
              (key, record) ->
                  visitor.visit(new StoreKey(store.name(), key), store.versions(record)));
    }
  }

  @Override
  public void sequential(List<SequentialKeys> keys) {
    parts.fence().sequential(keys);
  }

  @Override
  public void safePoint(long hlc) {
    parts.fence().safePoint(hlc);
  }

  @Override
  public void rollbacks(RollbackTimes times) {
    history.know(times);
  }

  /** {@inheritDoc} A node over another server's storage has no log of reads. */
  @Override
  public void followAccesses(boolean wanted) {
    if (wanted && parts.spec().keepsPast()) {
      parts.accesses().begin(() -> clock().tick().own());
    } else {
      parts.accesses().end();
    }
  }

  /** {@inheritDoc} Reads of snapshots and differences are not in it. O(accesses kept). */
  @Override
  public Trace accesses(long hlc) {
    return parts.accesses().since(node(), hlc);
  }

  @Override
  public long accessKey(StoreKey key) {
    return keyOfAccess(key);
  }

  /** Waits for the write in flight. Requests must have ended. Idempotent. */
  @Override
  public void close() {
    parts.order().writeLock().lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      parts.promise().end(clock().last().own());
      // That promise is synced, and every record before it.
      parts.stores().closeLogs();
      log.info("node={} phase=CLOSED", node());
    } catch (StorageException e) {
      // The earlier promise holds: the next start begins a little later.
      log.warn("node={} phase=CLOSED after its storage failed", node(), e);
    } finally {
      parts.stores().engine().close();
      parts.order().writeLock().unlock();
    }
  }
}
