package io.palinode.store.past;

import io.palinode.detector.binding.StoreKey;
import io.palinode.retroscope.WindowLog;
import io.palinode.store.binding.HlcSpan;
import io.palinode.store.binding.UndoEffect;
import io.palinode.store.binding.UndoLog.ChangeVisitor;
import io.palinode.store.order.Fence;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongUnaryOperator;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** The past of a node's stores together: its reach, its size, and what a rollback discards. */
public final class NodePast {
  private final NodeStores stores;
  private final Fence fence;
  private final Writers writers;
  private final LongUnaryOperator settle;

  /**
   * @param settle ticks past a time; returns a later time up to which all changes are stored
   */
  public NodePast(NodeStores stores, Fence fence, Writers writers, LongUnaryOperator settle) {
    this.stores = stores;
    this.fence = fence;
    this.writers = writers;
    this.settle = settle;
  }

  /** The earliest time that can be read. Before {@link #exactReach} some times cannot. */
  public long reach() {
    return latest(WindowLog::reach);
  }

  /** The earliest time that can be restored: a rollback needs every change since. */
  public long exactReach() {
    return latest(WindowLog::exactReach);
  }

  /** The earliest time that is in reach without the disk. */
  public long memoryReach() {
    return latest(WindowLog::memoryReach);
  }

  private long latest(ToLongFunction<WindowLog> reach) {
    long latest = 0;
    for (LocalStore store : stores.all()) {
      latest = Math.max(latest, reach.applyAsLong(store.past()));
    }
    return latest;
  }

  /** The coarsest granularity of times before {@link #exactReach}; zero if there are none. */
  public Duration granularity() {
    return logs().map(WindowLog::granularity).max(Comparator.naturalOrder()).orElse(Duration.ZERO);
  }

  /** Bytes in memory of the window-logs and the lists of deletes. */
  public long bytes() {
    return stores.all().stream()
        .mapToLong(store -> store.past().bytes() + store.deletes().bytes())
        .sum();
  }

  /** Bytes on disk of the window-logs and the lists of deletes. */
  public long diskBytes() {
    return stores.all().stream()
        .mapToLong(store -> store.past().diskBytes() + store.deletes().diskBytes())
        .sum();
  }

  /** The reason why a window-log is not written to disk now; empty if there is none. */
  public String diskFailure() {
    return logs().map(WindowLog::diskFailure).filter(Objects::nonNull).findFirst().orElse("");
  }

  /**
   * Compacts a piece of each window-log on disk. Returns false if there was no work, or the node is
   * paused: a plan needs its target. Call under no lock. Throws {@link
   * java.io.UncheckedIOException}.
   *
   * @param pause runs after each piece of work
   */
  public boolean compact(Runnable pause) {
    boolean any = false;
    for (LocalStore store : stores.all()) {
      any |= !fence.state().paused() && store.past().compact(pause);
    }
    return any;
  }

  /**
   * One page of a store's changes that a rollback discarded. Throws {@link
   * io.palinode.retroscope.OutOfReachException}, and {@link IllegalArgumentException} for an
   * unknown store. Thread-safe.
   */
  public DiscardedWrites.Page discarded(String store, DiscardedWrites.Range range, long behind) {
    return new DiscardedWrites(stores.named(store), stores.engine(), writers).page(range, behind);
  }

  /**
   * One page of the changes of a key, up to now at most. Throws {@link
   * io.palinode.retroscope.OutOfReachException}, and {@link IllegalArgumentException} for an
   * unknown store. Thread-safe.
   */
  public KeyHistory.Page history(StoreKey key, long from, long to) {
    LocalStore store = stores.named(key.store());
    long until = Math.min(to, settle.applyAsLong(from));
    byte[] present = stores.engine().get(store.name(), key.key());
    return new KeyHistory(store, writers, key.key()).page(from, until, present);
  }

  /** See {@link io.palinode.store.binding.UndoLog#visitChanges}. */
  public boolean visitChanges(long after, Predicate<StoreKey> wanted, ChangeVisitor visitor) {
    if (after < exactReach()) {
      return false;
    }
    for (LocalStore store : stores.all()) {
      store
          .past()
          .forEachBetween(
              after,
              Long.MAX_VALUE,
              (hlc, bytes, old) -> {
                StoreKey key = new StoreKey(store.name(), bytes);
                if (wanted.test(key)) {
                  visitor.changed(hlc, key, store.versions(old));
                }
              });
    }
    return true;
  }

  /** See {@link io.palinode.store.binding.UndoLog#effect(long, List)}. */
  public UndoEffect effect(long target, List<HlcSpan> except) {
    return count(except).of(stores.all(), target);
  }

  /** See {@link io.palinode.store.binding.UndoLog#effect(long, List, Map)}. */
  public UndoEffect effect(long target, List<HlcSpan> except, Map<Long, Long> keys) {
    return count(except).ofSome(stores.all(), new Cuts(target, Long.MAX_VALUE, keys));
  }

  private UndoCount count(List<HlcSpan> except) {
    return new UndoCount(stores.engine(), writers, except);
  }

  private Stream<WindowLog> logs() {
    return stores.all().stream().map(LocalStore::past);
  }
}
