package io.palinode.agent;

import io.palinode.detector.binding.NodeHealth;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.hvc.HvcClock;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.retroscope.snapshot.RollbackTimes;
import io.palinode.store.binding.HlcSpan;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.store.binding.RestoreRefusedException;
import io.palinode.store.binding.RestoreRefusedException.Reason;
import io.palinode.store.binding.SequentialKeys;
import io.palinode.store.binding.StoreBinding;
import io.palinode.store.binding.UndoEffect;
import io.palinode.voldemort.StoreNode;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The binding of a stock server: a {@link StoreNode} whose writes are the server's. A restore also
 * drops the hints of undone writes.
 *
 * <p>After the agent turned off, it misses writes and fences none. The binding still acknowledges
 * duties, so that no plan waits for the node. Its reach is always now, so it refuses to restore. It
 * takes no part in a converge.
 */
final class AgentBinding implements StoreBinding {
  private static final Logger log = LoggerFactory.getLogger(AgentBinding.class);
  private static final long NOTHING = -1;

  private final StoreNode node;
  private final LongConsumer dropHintsAfter;
  private final BooleanSupplier off;
  private final LongSupplier missedAt;
  private final AtomicBoolean listening = new AtomicBoolean();
  private volatile @Nullable WriteListener listener;
  // Of the control thread: the epoch of the pause, unless its plan undoes nothing.
  private long undoing = NOTHING;

  /**
   * @param dropHintsAfter removes this server's hints of writes after an HLC
   * @param missedAt the last HLC of a possibly missed write, which no undo covers; 0 for none
   */
  AgentBinding(
      StoreNode node, LongConsumer dropHintsAfter, BooleanSupplier off, LongSupplier missedAt) {
    this.node = node;
    this.dropHintsAfter = dropHintsAfter;
    this.off = off;
    this.missedAt = missedAt;
  }

  /** {@inheritDoc} A later listener replaces the earlier one, whose detector failed. */
  @Override
  public void listen(WriteListener next) {
    listener = next;
    if (listening.compareAndSet(false, true)) {
      node.listen(new Latest());
    }
  }

  /** Passes writes on to the current listener. */
  private final class Latest implements WriteListener {
    @Override
    public boolean watches(StoreKey key) {
      WriteListener now = listener;
      return now != null && now.watches(key);
    }

    @Override
    public void written(WriteEvent event) {
      WriteListener now = listener;
      if (now != null) {
        now.written(event);
      }
    }

    @Override
    public void missedWrite() {
      WriteListener now = listener;
      if (now != null) {
        now.missedWrite();
      }
    }
  }

  @Override
  public String operationsNotJudged() {
    return "node %d is a stock server with the agent".formatted(node());
  }

  @Override
  public long pause(long epoch) {
    long quietSince = node.pause(epoch);
    undoing = epoch;
    if (off.getAsBoolean()) {
      log.error("node={} epoch={} state=OFF, it cannot take part in a rollback", node(), epoch);
    }
    return quietSince;
  }

  /** {@inheritDoc} A repeat of a done step always succeeds, since other nodes wait for it. */
  @Override
  public Restoration restore(long epoch, int attempt, long target) {
    if (node.rollback().done(epoch, attempt) == null) {
      requireAble(target);
    }
    Restoration done = node.restore(epoch, attempt, target);
    dropHintsAfter.accept(target);
    return done;
  }

  private void requireAble(long target) {
    if (off.getAsBoolean()) {
      throw new RestoreRefusedException(
          Reason.NOT_WATCHING,
          "the agent of node %d has turned itself off: restart its server".formatted(node()));
    }
    if (target < missedAt.getAsLong()) {
      throw new OutOfReachException(target, reach(), node.lastReading().own());
    }
  }

  @Override
  public Restoration keep(long epoch, int attempt, long target) {
    undoing = NOTHING;
    // Its writes continue, so its records would change after the comparison.
    return off.getAsBoolean() ? new Restoration(0, List.of()) : node.keep(epoch, attempt, target);
  }

  /** {@inheritDoc} Hints stay, since the plan may undo nothing. */
  @Override
  public Restoration keepAll(long epoch, int attempt) {
    undoing = NOTHING;
    return off.getAsBoolean() ? new Restoration(0, List.of()) : node.keepAll(epoch, attempt);
  }

  @Override
  public List<KeyRecord> readSlices(List<StoreKey> slices, long target, boolean kept) {
    return off.getAsBoolean() ? List.of() : node.readSlices(slices, target, kept);
  }

  @Override
  public int merge(List<KeyRecord> records) {
    return off.getAsBoolean() ? 0 : node.merge(records);
  }

  @Override
  public void resume(long epoch, long target, long sequentialUntilMicros) {
    resume(epoch, target, sequentialUntilMicros, MissedEpochs.NONE);
  }

  @Override
  public void resume(long epoch, long target, long sequentialUntilMicros, MissedEpochs missed) {
    if (undoing == epoch && !off.getAsBoolean()) {
      // Nodes that paused later or resumed earlier may have caused hints since the restore.
      dropHintsAfter.accept(target);
    }
    undoing = NOTHING;
    node.resume(epoch, target, sequentialUntilMicros, missed);
  }

  @Override
  public void sequential(List<SequentialKeys> keys) {
    node.sequential(keys);
  }

  @Override
  public int node() {
    return node.node();
  }

  @Override
  public int nodes() {
    return node.nodes();
  }

  @Override
  public void pass(long hlc) {
    node.pass(hlc);
  }

  @Override
  public Set<String> stores() {
    return node.stores();
  }

  @Override
  public NodeHealth health() {
    return node.health();
  }

  @Override
  public boolean promises(long hlc) {
    return node.promises(hlc);
  }

  @Override
  public long unpromisedMicros() {
    return node.unpromisedMicros();
  }

  @Override
  public long incarnation() {
    return node.incarnation();
  }

  @Override
  public HvcClock clock() {
    return node.clock();
  }

  @Override
  public boolean passesEveryWrite() {
    return !off.getAsBoolean();
  }

  @Override
  public void atomically(Runnable action) {
    node.atomically(action);
  }

  @Override
  public void ordered(Runnable action) {
    node.ordered(action);
  }

  @Override
  public long reach() {
    return off.getAsBoolean()
        ? Math.max(node.lastReading().own(), missedAt.getAsLong())
        : Math.max(node.reach(), missedAt.getAsLong());
  }

  @Override
  public long restoredEpoch() {
    return node.restoredEpoch();
  }

  @Override
  public boolean visitChanges(long after, Predicate<StoreKey> wanted, ChangeVisitor visitor) {
    return after >= reach() && node.visitChanges(after, wanted, visitor);
  }

  @Override
  public UndoEffect effect(long target, List<HlcSpan> except) {
    return node.effect(target, except);
  }

  @Override
  public List<KeyRecord> read(List<StoreKey> keys) {
    return node.read(keys);
  }

  @Override
  public List<Integer> replicas(StoreKey key) {
    return node.replicas(key);
  }

  @Override
  public List<Version> siblings(StoreKey key) {
    return node.siblings(key);
  }

  @Override
  public void scan(ScanVisitor visitor) {
    node.scan(visitor);
  }

  @Override
  public void rollbacks(RollbackTimes times) {
    node.rollbacks(times);
  }

  @Override
  public void safePoint(long hlc) {
    node.safePoint(hlc);
  }
}
