package io.palinode.voldemort;

import io.palinode.detector.binding.NodeHealth;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
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
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.engine.StorageException;
import io.palinode.store.engine.StorageHealth;
import io.palinode.store.order.ClockBehindException;
import io.palinode.store.order.ClockPromise;
import io.palinode.store.order.Fence;
import io.palinode.store.order.FenceState;
import io.palinode.store.order.NodeMeta;
import io.palinode.store.order.WriteOrder;
import io.palinode.store.past.Accesses;
import io.palinode.store.past.DiskLogs;
import io.palinode.store.past.NodeHistory;
import io.palinode.store.past.NodePast;
import io.palinode.store.past.NodeStores;
import io.palinode.store.past.PastEvents;
import io.palinode.store.past.PastOnDisk;
import io.palinode.store.past.Writers;
import io.palinode.store.restore.NodeRestore;
import io.palinode.store.restore.NodeRollback;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One store node: its parts, and its face toward the detector and the control duties. Thread-safe.
 *
 * <p>{@link WriteOrder} holds the locks that all parts share. Requests of clients go to {@link
 * #reads} and {@link #writes}; a server that brings its engine uses {@link #hosted}.
 */
public final class StoreNode implements StoreBinding, AutoCloseable {
  /** The name under which clients ask for cluster.xml and similar; never a store of the node. */
  public static final String METADATA = "metadata";

  private static final Logger log = LoggerFactory.getLogger(StoreNode.class);

  private final StoreNodeConfig config;
  private final HvcClock clock;
  private final long incarnation;
  private final NodeCounters counters = new NodeCounters();
  private final StorageHealth health;
  private final WriteOrder order = new WriteOrder();
  private final ClockPromise promise;
  private final NodeStores stores;
  private final Fence fence;
  private final NodeHistory history;
  private final NodePast past;
  private final NodeRollback rollback;
  private final Accesses accesses = new Accesses();
  private final WriteEvents events;
  private final Admission admission;
  private final ClientReads reads;
  private final ClientWrites writes;
  private final HostedWrites hosted;

  /** Guarded by the write lock. */
  private boolean closed;

  /**
   * Opens a node whose window-logs are in memory only. Otherwise like the other constructor.
   *
   * @param epochMicros the physical clock, microseconds since the Unix epoch
   */
  public StoreNode(StoreNodeConfig config, StorageEngine engine, LongSupplier epochMicros) {
    this(config, engine, epochMicros, null);
  }

  /**
   * Begins another incarnation over {@code engine}, which has the config's stores and {@link
   * #metaStore}; the node closes it. Window-logs on disk continue where they ended, if no write can
   * be missing since.
   *
   * <p>Throws {@link ClockBehindException} before {@link #opensFromMicros}, and {@link
   * io.palinode.retroscope.disklog.DiskLogException} if a log on disk belongs to another node; both
   * change nothing.
   *
   * @param disk null: window-logs are in memory only
   */
  public StoreNode(
      StoreNodeConfig config,
      StorageEngine engine,
      LongSupplier epochMicros,
      @Nullable PastOnDisk disk) {
    int node = config.nodeId();
    this.config = config;
    this.health = new StorageHealth(node);
    this.clock =
        new HvcClock(node, config.nodes(), config.epsilon(), epochMicros, config.maxDrift());
    NodeMeta.Start last = ClockPromise.last(engine);
    requireReached(node, last.promisedHlc(), epochMicros.getAsLong());
    DiskLogs logs =
        new DiskLogs(node, config.specs(), disk, last.incarnation(), pastEvents(counters));
    long openedAt = clock.tick(ownReading(config, last, logs)).own();
    this.incarnation = last.incarnation() + 1;
    this.promise =
        new ClockPromise(engine, config.writes(), health, epochMicros, incarnation, openedAt);
    // After the promise: a log of a later incarnation than the records could miss some.
    logs.begin(incarnation);
    // Without a past, no earlier or later time is in reach.
    long from = config.keepsPast() ? openedAt : Long.MAX_VALUE;
    this.stores =
        new NodeStores(
            node, engine, config.writes(), logs.open(config.windowLog(), openedAt, from));
    this.fence = new Fence(node, NodeMeta.readFence(engine));
    Writers writers = new Writers(openedAt);
    this.past = new NodePast(stores, fence, writers);
    this.history = new NodeHistory(stores, clock, order.writeLock());
    NodeRestore restore =
        new NodeRestore(
            stores, clock, promise::change, config.convergenceWindow(), config.restores());
    this.rollback = new NodeRollback(order, stores, clock, fence, restore);
    this.admission = new Admission(config, stores, fence, clock, counters, health);
    this.events = new WriteEvents(node, counters, writers, accesses);
    this.reads = new ClientReads(stores, history, admission, accesses);
    this.writes = new ClientWrites(order, admission, stores, clock, promise, events);
    this.hosted = new HostedWrites(order, admission, stores, clock, promise, events);
    log.info("node={} phase=OPEN incarnation={} epoch={}", node, incarnation, fence().epoch());
  }

  private static PastEvents pastEvents(NodeCounters counters) {
    return new PastEvents(
        () -> counters.add(NodeCounter.WINDOW_LOG_LOST),
        () -> counters.add(NodeCounter.DELETES_FORGOTTEN));
  }

  private static void requireReached(int node, long promised, long nowMicros) {
    if (nowMicros < Hlc.micros(promised)) {
      throw new ClockBehindException(node, promised, nowMicros);
    }
  }

  /** The last HLC of earlier incarnations, as a received reading. */
  private static Hvc ownReading(StoreNodeConfig config, NodeMeta.Start last, DiskLogs logs) {
    long[] entries = new long[config.nodes()];
    entries[config.nodeId()] = Math.max(last.promisedHlc(), logs.last());
    return Hvc.of(Hvc.NO_OWNER, entries);
  }

  /**
   * The earliest physical time, in microseconds, at which a node opens over {@code engine}. A clock
   * that began ahead of the physical one would misorder its node against all others.
   */
  public static long opensFromMicros(StorageEngine engine) {
    return Hlc.micros(ClockPromise.last(engine).promisedHlc());
  }

  /** The store of the node's own records, which the engine has beside the config's stores. */
  public static String metaStore() {
    return NodeMeta.STORE;
  }

  /** What stands for a key in {@link #accesses}; the same at all nodes. */
  public static long keyOfAccess(StoreKey key) {
    return Accesses.keyOf(key.store(), key.key());
  }

  public StoreNodeConfig config() {
    return config;
  }

  public NodeCounters counters() {
    return counters;
  }

  public Admission admission() {
    return admission;
  }

  public ClientReads reads() {
    return reads;
  }

  public ClientWrites writes() {
    return writes;
  }

  public HostedWrites hosted() {
    return hosted;
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
    return fence.state();
  }

  /** The keys that clients use with R + W > N. */
  public List<SequentialKeys> sequential() {
    return fence.sequential();
  }

  public long safePoint() {
    return fence.safePoint();
  }

  /** The clock after the last operation; without a past zero, and of no owner. */
  public Hvc lastReading() {
    return admission.lastReading();
  }

  /** Since when, and why, the storage refuses records; null if it does not. */
  public StorageHealth.@Nullable Refusal storageRefusal() {
    return health.refusal();
  }

  /**
   * Keeps at least half of {@code aheadHlc} promised beyond the clock. If a thread that may wait
   * for the disk calls this often enough, no write has to. After a kill, the next incarnation
   * starts later by at most that time. Throws {@link StorageException}.
   */
  public void promiseAhead(long aheadHlc) {
    order.sharedLock().lock();
    try {
      promise.keepAhead(clock.last().own(), aheadHlc);
    } finally {
      order.sharedLock().unlock();
    }
  }

  // ---- the node as a StoreBinding

  @Override
  public int node() {
    return config.nodeId();
  }

  @Override
  public int nodes() {
    return config.nodes();
  }

  @Override
  public long incarnation() {
    return incarnation;
  }

  @Override
  public HvcClock clock() {
    return clock;
  }

  @Override
  public void pass(long hlc) {
    order.atomically(() -> promise.extendTo(clock.tickPast(hlc).own() + ClockPromise.AHEAD_HLC));
  }

  @Override
  public boolean promises(long hlc) {
    return promise.promises(hlc);
  }

  @Override
  public long unpromisedMicros() {
    return promise.unpromisedMicros();
  }

  @Override
  public NodeHealth health() {
    return admission.health();
  }

  /** {@inheritDoc} Throws {@link IllegalStateException} if the node keeps no past. */
  @Override
  public void listen(WriteListener listener) {
    if (!config.keepsPast()) {
      throw new IllegalStateException(
          "a node that keeps no past passes no writes on: node=" + node());
    }
    events.listen(listener);
  }

  @Override
  public void atomically(Runnable action) {
    order.atomically(action);
  }

  @Override
  public void ordered(Runnable action) {
    order.ordered(action);
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
    rollback.resume(epoch, target, sequentialUntilMicros, MissedEpochs.NONE);
  }

  /** {@inheritDoc} Throws {@link IllegalStateException} for an older epoch than the current one. */
  @Override
  public void resume(long epoch, long target, long sequentialUntilMicros, MissedEpochs missed) {
    rollback.resume(epoch, target, sequentialUntilMicros, missed);
  }

  @Override
  public List<Integer> replicas(StoreKey key) {
    return stores.replicas(key);
  }

  @Override
  public List<Version> siblings(StoreKey key) {
    return StoredVersions.of(StoredVersions.in(stores.record(key)));
  }

  @Override
  public void scan(ScanVisitor visitor) {
    StoredVersions.scan(stores, visitor);
  }

  @Override
  public void sequential(List<SequentialKeys> keys) {
    fence.sequential(keys);
  }

  @Override
  public void safePoint(long hlc) {
    fence.safePoint(hlc);
  }

  @Override
  public void rollbacks(RollbackTimes times) {
    history.know(times);
  }

  /** {@inheritDoc} A node over another server's storage has no log of reads. */
  @Override
  public void followAccesses(boolean wanted) {
    if (wanted && config.keepsPast()) {
      accesses.begin(() -> clock.tick().own());
    } else {
      accesses.end();
    }
  }

  /** {@inheritDoc} Reads of snapshots and differences are not in it. O(accesses kept). */
  @Override
  public Trace accesses(long hlc) {
    return accesses.since(node(), hlc);
  }

  @Override
  public long accessKey(StoreKey key) {
    return keyOfAccess(key);
  }

  /** Waits for the write in flight. Requests must have ended. Idempotent. */
  @Override
  public void close() {
    order.writeLock().lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      promise.end(clock.last().own());
      // That promise is synced, and every record before it.
      stores.closeLogs();
      log.info("node={} phase=CLOSED", node());
    } catch (StorageException e) {
      // The earlier promise holds: the next start begins a little later.
      log.warn("node={} phase=CLOSED after its storage failed", node(), e);
    } finally {
      stores.engine().close();
      order.writeLock().unlock();
    }
  }
}
