package io.palinode.cassandra.node;

import io.palinode.cassandra.record.CellRecord;
import io.palinode.cassandra.record.CellRules;
import io.palinode.cassandra.table.CellStates.Replaced;
import io.palinode.cassandra.table.LiveCells;
import io.palinode.cassandra.table.Tables;
import io.palinode.detector.binding.NodeHealth;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.PointInTime;
import io.palinode.retroscope.snapshot.History;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import io.palinode.store.binding.HlcSpan;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.store.binding.RestoreRefusedException;
import io.palinode.store.binding.RestoreRefusedException.Reason;
import io.palinode.store.binding.UndoEffect;
import io.palinode.store.engine.KeyBytes;
import io.palinode.store.node.NodeBinding;
import io.palinode.store.node.NodeParts;
import io.palinode.store.order.ClockPromise;
import io.palinode.store.order.FenceState;
import io.palinode.store.past.WatchedHistory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.FBUtilities;
import org.jspecify.annotations.Nullable;

/**
 * The node of a Cassandra server. It stamps the server's mutations, logs what they replace and
 * passes them on.
 *
 * <p>A restore leaves the tables as they are. A resume writes the restored cells, all with one
 * timestamp above all that a paused node has seen. Late copies of discarded writes then lose.
 */
public final class CassandraNode extends NodeBinding {
  private static final long LOOK_MILLIS = 10;

  private final NodeParts parts;
  private final CassandraEngine engine;
  private final Tables tables;
  private final Timestamps timestamps;
  private final OwnWrites own;
  private final BooleanSupplier off;
  private volatile @Nullable WriteListener listener;

  /** The epoch of a pause that begins; 0 if none does. */
  private volatile long pausing;

  /** The window-log may lack a mutation before it. */
  private final AtomicLong wholeSince = new AtomicLong();

  /** Of the control thread. */
  private long passed;

  /**
   * A key that a mutation changed.
   *
   * @param now its version; null: the key is absent
   */
  public record Changed(StoreKey key, @Nullable Version now) {}

  /**
   * @param engine that of {@code parts}
   * @param off whether the node misses writes from now on
   */
  CassandraNode(
      NodeParts parts,
      CassandraEngine engine,
      Tables tables,
      Timestamps timestamps,
      OwnWrites own,
      BooleanSupplier off) {
    super(parts);
    this.parts = parts;
    this.engine = engine;
    this.tables = tables;
    this.timestamps = timestamps;
    this.own = own;
    this.off = off;
    engine.readAsIn(this::readSecond);
    long paused = PauseMark.read(engine);
    if (paused > 0) {
      parts.fence().become(FenceState.paused(paused));
    }
  }

  /**
   * Begins a mutation, which ends with {@link #leave}: no scan reads a key meanwhile.
   *
   * @param urgent whether a flush waits for this mutation; it then waits only for a scan's step
   */
  public void enter(BooleanSupplier urgent) {
    lock(parts.order().sharedLock(), urgent);
  }

  private static void lock(Lock gate, BooleanSupplier urgent) {
    boolean isInterrupted = false;
    while (!tryLock(gate)) {
      isInterrupted |= Thread.interrupted();
      // Without a time it overtakes the threads that queue for the other side.
      if (urgent.getAsBoolean() && gate.tryLock()) {
        break;
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean tryLock(Lock gate) {
    try {
      return gate.tryLock(LOOK_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  public void leave() {
    parts.order().sharedLock().unlock();
  }

  /** Whether mutations that begin now are refused. By any thread. */
  boolean refusesMutations() {
    return pausing > 0 || fence().paused();
  }

  /** The fence, or that of the pause that begins. */
  FenceState nextFence() {
    long next = pausing;
    FenceState now = fence();
    return next > now.epoch() ? FenceState.paused(next) : now;
  }

  /** Whether all mutations that began before the pause have ended. Between enter and leave. */
  public boolean isPaused() {
    return fence().paused();
  }

  /** {@inheritDoc} Mutations that began before it end first. */
  @Override
  public long pause(long epoch) {
    pausing = epoch;
    try {
      // They take the gate, so no lock is held here.
      Keyspace.writeOrder.awaitNewBarrier();
      return parts.order().alone(() -> pauseAlone(epoch));
    } finally {
      pausing = 0;
    }
  }

  private long pauseAlone(long epoch) {
    if (epoch > fence().epoch()) {
      PauseMark.write(engine, epoch);
    }
    // The timestamp of the restore follows from the clocks of all paused nodes.
    super.pass(Hlc.ofMicros(timestamps.latest() + 1));
    return super.pause(epoch);
  }

  /**
   * Whether a predicate may watch one of the keys. Between {@link #enter} and {@link #leave}.
   *
   * @param keys called only if there is a listener
   */
  public boolean watchesAny(Supplier<List<StoreKey>> keys) {
    WriteListener now = listener;
    if (now == null) {
      return false;
    }
    List<StoreKey> changed = keys.get();
    parts.order().stampLock().lock();
    try {
      return changed.stream().anyMatch(now::watches);
    } finally {
      parts.order().stampLock().unlock();
    }
  }

  /** Whether a predicate may watch a key that begins so. As {@link #watchesAny}. */
  public boolean watchesBelow(StoreKey prefix) {
    WriteListener now = listener;
    if (now == null) {
      return false;
    }
    parts.order().stampLock().lock();
    try {
      return now.watchesBelow(prefix);
    } finally {
      parts.order().stampLock().unlock();
    }
  }

  /** How many bytes of rows a delete may cover; a larger one is not announced. */
  public long deletedBytesMax() {
    return tables.partitionBytesMax();
  }

  /** Whether the window-log has each mutation, so that tables can be restored. */
  public boolean isLogged() {
    return !parts.spec().stores().isEmpty();
  }

  /** A mutation is applied that the window-log lacks. By any thread. */
  void missedMutation() {
    long unused = wholeSince.accumulateAndGet(clock().tick().own(), Math::max);
  }

  /**
   * Stamps a mutation, logs what it replaced, and passes its keys on. They have one stamp, because
   * all of them change at once. Between {@link #enter} and {@link #leave}, while no other mutation
   * of the partition is between its read and this call.
   */
  public void changed(List<Changed> keys, List<Replaced> replaced) {
    boolean isMissed = true;
    parts.order().stampLock().lock();
    try {
      Hvc before = clock().tick();
      Hvc after = clock().tick();
      parts.promise().cover(after.own(), ClockPromise.AHEAD_HLC);
      replaced.forEach(
          old -> parts.stores().of(old.key()).log(after.own(), old.key().key(), old.record()));
      keys.forEach(key -> pass(key, before, after));
      isMissed = false;
    } finally {
      if (isMissed) {
        // Under the stamp lock: no progress is published in between.
        missed();
        missedMutation();
      }
      parts.order().stampLock().unlock();
    }
  }

  private void pass(Changed changed, Hvc before, Hvc after) {
    WriteListener now = listener;
    if (now != null && now.watches(changed.key())) {
      Version version = changed.now();
      List<Version> versions = version == null ? List.of() : List.of(version);
      now.written(new WriteEvent(changed.key(), versions, version, before, after, "", null));
    }
  }

  private void missed() {
    WriteListener now = listener;
    if (now != null) {
      now.missedWrite();
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

  @Override
  public List<Version> siblings(StoreKey key) {
    PendingCells pending = engine.pending();
    return pending.has(key.key())
        ? versions(key, pending.record(key.key()), FBUtilities.nowInSeconds())
        : tables.versions(key);
  }

  /** The version of a record as predicates see it; none if no read would return it then. */
  private static List<Version> versions(StoreKey key, byte @Nullable [] record, long second) {
    Version version =
        record == null ? null : LiveCells.version(key, CellRecord.decode(record), second);
    return version == null ? List.of() : List.of(version);
  }

  @Override
  public void scan(ScanVisitor visitor) {
    PendingCells pending = engine.pending();
    tables.scan(
        (key, versions) -> {
          if (!pending.has(key.key())) {
            visitor.visit(key, versions);
          }
        });
    for (KeyBytes cell : pending.cells().keySet()) {
      StoreKey key = new StoreKey(LiveCells.STORE, cell.bytes());
      List<Version> versions = siblings(key);
      if (!versions.isEmpty()) {
        visitor.visit(key, versions);
      }
    }
  }

  @Override
  public List<Integer> replicas(StoreKey key) {
    return tables.replicas(key);
  }

  @Override
  public void followAccesses(boolean wanted) {}

  /** {@inheritDoc} Always now if mutations are not logged. */
  @Override
  public long reach() {
    return isLogged() ? Math.max(super.reach(), wholeSince.get()) : clock().last().own();
  }

  /** Reads as in this second return all values that the node can look back to, ended TTLs too. */
  public long readSecond() {
    return isLogged() ? seconds(reach()) : FBUtilities.nowInSeconds();
  }

  /** {@inheritDoc} No time is in reach if mutations are not logged, or once the node is off. */
  @Override
  public History history() {
    return new WatchedHistory(
        super.history(),
        () -> isLogged() && !off.getAsBoolean() ? wholeSince.get() : WatchedHistory.OFF,
        tables::requireNothingLost);
  }

  private static long seconds(long hlc) {
    return TimeUnit.MICROSECONDS.toSeconds(Hlc.micros(hlc));
  }

  @Override
  public Restoration restore(long epoch, int attempt, long target) {
    if (!isLogged()) {
      throw refused();
    }
    if (rollback().done(epoch, attempt) == null) {
      requireRestorable(target);
    }
    Restoration restored = super.restore(epoch, attempt, target);
    // The pending cells of this restore.
    return engine.pending().marking(restored);
  }

  private void requireRestorable(long target) {
    long since = wholeSince.get();
    if (target < since) {
      throw new RestoreRefusedException(
          Reason.FORGOTTEN,
          "the window-log has all mutations since %2$s only, not since %1$s"
              .formatted(PointInTime.format(target), PointInTime.format(since)));
    }
    TableMetadata truncated = tables.truncatedAfter(Hlc.micros(target));
    if (truncated != null) {
      throw new RestoreRefusedException(
          Reason.FORGOTTEN, "table %s was truncated after that time".formatted(truncated));
    }
    if (timestamps.latest() >= Hlc.micros(clock().last().own())) {
      throw new RestoreRefusedException(
          Reason.NOT_WATCHING,
          "a mutation has the timestamp %d, which is after this node's clock; run 'palinode rollback abandon'"
              .formatted(timestamps.latest()));
    }
  }

  @Override
  public Restoration restore(long epoch, int attempt, long target, Map<Long, Long> keys) {
    throw isLogged()
        ? new RestoreRefusedException(
            Reason.ONLY_ALL, "a Cassandra server has no access log: it restores all keys")
        : refused();
  }

  @Override
  public Restoration restoreFrom(long epoch, int attempt, OpenSnapshot part) {
    throw new RestoreRefusedException(
        Reason.NO_SNAPSHOT, "a Cassandra server takes no snapshots that it can be restored from");
  }

  /**
   * {@inheritDoc} A resume writes these keys again, also those that stay equal: a replica that
   * never received a discarded write may receive it later.
   */
  @Override
  public int merge(List<KeyRecord> records) {
    int changed = super.merge(records);
    Map<KeyBytes, byte @Nullable []> same = new LinkedHashMap<>();
    for (KeyRecord record : records) {
      StoreKey key = record.key();
      if (!engine.pending().has(key.key()) && replicas(key).contains(node())) {
        same.put(new KeyBytes(key.key()), engine.get(key.store(), key.key()));
      }
    }
    if (!same.isEmpty()) {
      engine.become(engine.pending().with(same));
    }
    return changed;
  }

  @Override
  public void pass(long hlc) {
    super.pass(hlc);
    passed = hlc;
  }

  /**
   * {@inheritDoc} Writes the restored cells first. A crash in between repeats that at the start.
   */
  @Override
  public void resume(long epoch, long target, long sequentialUntilMicros, MissedEpochs missed) {
    PendingCells pending = engine.pending();
    if (!pending.isEmpty()) {
      write(pending.at(Hlc.micros(passed) + 1));
    }
    super.resume(epoch, target, sequentialUntilMicros, missed);
  }

  private void write(PendingCells pending) {
    // A plan to an earlier time then compares the timestamps of the clients.
    atomically(
        () ->
            pending
                .cells()
                .keySet()
                .forEach(
                    key ->
                        parts
                            .stores()
                            .of(new StoreKey(LiveCells.STORE, key.bytes()))
                            .log(clock().tick().own(), key.bytes(), pending.record(key.bytes()))));
    engine.become(pending);
    engine.writePending(own);
  }

  @Override
  public String watchedOnly() {
    return isLogged()
        ? ""
        : "node %d is an Apache Cassandra server without 'rollback: true'".formatted(node());
  }

  @Override
  public String operationsNotJudged() {
    return "node %d is an Apache Cassandra server".formatted(node());
  }

  @Override
  public Map<String, String> notRestored() {
    return tables.notRestored();
  }

  @Override
  public NodeHealth health() {
    return healthOfServer();
  }

  private RestoreRefusedException refused() {
    return new RestoreRefusedException(
        Reason.NOT_WATCHING, watchedOnly() + "; run 'palinode rollback abandon'");
  }

  @Override
  public boolean visitChanges(long after, Predicate<StoreKey> wanted, ChangeVisitor visitor) {
    return after >= reach()
        && super.visitChanges(
            after,
            wanted,
            (hlc, key, before) -> visitor.changed(hlc, key, versions(key, before, hlc)));
  }

  private static List<Version> versions(StoreKey key, List<Version> records, long hlc) {
    return records.isEmpty()
        ? List.of()
        : versions(key, CellRules.bytes(records.get(0)), seconds(hlc));
  }

  @Override
  public UndoEffect effect(long target, List<HlcSpan> except) {
    if (!isLogged()) {
      throw new UnsupportedOperationException("this node restores nothing");
    }
    return super.effect(target, except);
  }

  @Override
  public UndoEffect effect(long target, List<HlcSpan> except, Map<Long, Long> keys) {
    throw new UnsupportedOperationException("this node cannot restore single keys");
  }
}
