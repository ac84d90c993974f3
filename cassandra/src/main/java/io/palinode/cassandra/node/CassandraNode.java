package io.palinode.cassandra.node;

import io.palinode.cassandra.table.Tables;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.hvc.Hvc;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import io.palinode.store.binding.HlcSpan;
import io.palinode.store.binding.RestoreRefusedException;
import io.palinode.store.binding.RestoreRefusedException.Reason;
import io.palinode.store.binding.UndoEffect;
import io.palinode.store.node.NodeBinding;
import io.palinode.store.node.NodeParts;
import io.palinode.store.order.ClockPromise;
import io.palinode.store.order.FenceState;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.apache.cassandra.db.Keyspace;
import org.jspecify.annotations.Nullable;

/**
 * The node of a Cassandra server. It stamps the server's mutations and passes them on. It refuses
 * each restore with the reason: this release does not restore tables.
 */
public final class CassandraNode extends NodeBinding {
  private static final long LOOK_MILLIS = 10;

  private final NodeParts parts;
  private final Tables tables;
  private final BooleanSupplier off;
  private volatile @Nullable WriteListener listener;
  private volatile boolean isPausing;

  /**
   * A key that a mutation changed.
   *
   * @param now its version; null: the key is absent
   */
  public record Changed(StoreKey key, @Nullable Version now) {}

  /**
   * @param off whether the node misses writes from now on
   */
  CassandraNode(NodeParts parts, Tables tables, BooleanSupplier off) {
    super(parts);
    this.parts = parts;
    this.tables = tables;
    this.off = off;
    long paused = PauseMark.read(parts.stores().engine());
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
    return isPausing || fence().paused();
  }

  /** Whether all mutations that began before the pause have ended. Between enter and leave. */
  public boolean isPaused() {
    return fence().paused();
  }

  /** {@inheritDoc} Mutations that began before it end first. */
  @Override
  public long pause(long epoch) {
    isPausing = true;
    try {
      // They take the gate, so no lock is held here.
      Keyspace.writeOrder.awaitNewBarrier();
      return parts.order().alone(() -> pauseAlone(epoch));
    } finally {
      isPausing = false;
    }
  }

  private long pauseAlone(long epoch) {
    if (epoch > fence().epoch()) {
      PauseMark.write(parts.stores().engine(), epoch);
    }
    return super.pause(epoch);
  }

  /** Whether a predicate may watch one of the keys. Between {@link #enter} and {@link #leave}. */
  public boolean watchesAny(Collection<StoreKey> keys) {
    WriteListener now = listener;
    if (now == null) {
      return false;
    }
    parts.order().stampLock().lock();
    try {
      return keys.stream().anyMatch(now::watches);
    } finally {
      parts.order().stampLock().unlock();
    }
  }

  /**
   * Stamps a mutation, and passes its keys on. They have one stamp, because all of them change at
   * once. Between {@link #enter} and {@link #leave}, while no other mutation of the partition is
   * between its read and this call.
   */
  public void changed(List<Changed> keys) {
    boolean isMissed = true;
    parts.order().stampLock().lock();
    try {
      Hvc before = clock().tick();
      Hvc after = clock().tick();
      parts.promise().cover(after.own(), ClockPromise.AHEAD_HLC);
      keys.forEach(key -> pass(key, before, after));
      isMissed = false;
    } finally {
      if (isMissed) {
        // Under the stamp lock: no progress is published in between.
        missed();
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
    return tables.versions(key);
  }

  @Override
  public void scan(ScanVisitor visitor) {
    tables.scan(visitor);
  }

  @Override
  public List<Integer> replicas(StoreKey key) {
    return tables.replicas(key);
  }

  @Override
  public void followAccesses(boolean wanted) {}

  /** {@inheritDoc} Always now: nothing can be restored. */
  @Override
  public long reach() {
    return clock().last().own();
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

  @Override
  public String watchedOnly() {
    return "node %d is an Apache Cassandra server, whose tables this release watches but does not restore"
        .formatted(node());
  }

  private RestoreRefusedException refused() {
    return new RestoreRefusedException(
        Reason.NOT_WATCHING, watchedOnly() + "; run 'palinode rollback abandon'");
  }

  @Override
  public boolean visitChanges(long after, Predicate<StoreKey> wanted, ChangeVisitor visitor) {
    return false;
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
