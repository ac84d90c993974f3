package io.palinode.detector.binding;

import io.palinode.detector.affected.Trace;
import io.palinode.hvc.HvcClock;
import io.palinode.retroscope.snapshot.RollbackTimes;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import io.palinode.wire.TopicLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The part of a store node that the detector and the control duties need: writes, clock, reads,
 * restore and scan, fence. Implemented by our node and by the agent. Any thread may call {@link
 * #clock}, {@link #reach}, {@link #atomically}, {@link #ordered}, {@link #siblings} and {@link
 * #scan}; one control thread calls the rest. Writes continue meanwhile unless the node is paused.
 */
public interface StoreBinding {
  int node();

  int nodes();

  /**
   * Ticks the {@link #clock} past {@code hlc}, as far as {@link HvcClock#tickPast} allows. This
   * incarnation and later ones publish no earlier time.
   */
  void pass(long hlc);

  /**
   * Returns whether later incarnations start after {@code hlc}. Extends the clock promise if
   * needed; false if the disk fails. Call within {@link #atomically} or {@link #ordered}. Usually
   * no I/O.
   */
  boolean promises(long hlc);

  /**
   * The time since the disk began to refuse clock promises, in microseconds; 0 if it does not. By
   * any thread.
   */
  default long unpromisedMicros() {
    return 0;
  }

  /** Grows with every start of the node, also after a crash. */
  long incarnation();

  HvcClock clock();

  /**
   * Passes each committed write that the listener watches to it, in commit order. The writing
   * thread calls it and still holds the write lock. Changes by {@link #restore} and {@link #merge}
   * are not passed on. The listener must not block.
   */
  void listen(WriteListener listener);

  /**
   * Whether every write is passed to the listener. Once false it stays false. By any thread; takes
   * no lock.
   */
  default boolean passesEveryWrite() {
    return true;
  }

  /**
   * Runs {@code action} under the write lock: no write is between its first clock reading and its
   * listener meanwhile. Also while paused. The action is short, waits for nothing, and may call
   * {@link #siblings} and {@link #clock}.
   */
  void atomically(Runnable action);

  /** Like {@link #atomically(Runnable)}; returns the result of {@code action}. */
  default <T extends @Nullable Object> T atomically(Supplier<T> action) {
    List<T> result = new ArrayList<>(1);
    atomically(
        () -> {
          result.add(action.get());
        });
    return result.get(0);
  }

  /**
   * Runs {@code action} between the writes, in the order in which they are stamped: no write is
   * between its first clock reading and its listener meanwhile. Every write that was stamped before
   * has reached its listener. Every later write gets a later reading than the action. Never runs
   * together with an {@link #atomically} of another thread.
   *
   * <p>Unlike there, writes may be in progress: passed on but not visible in the store, visible but
   * not finished, or not stamped. A store whose writes share their lock neither waits for them nor
   * stops them. The action therefore reads only the {@link #clock} of the store, and does not call
   * {@link #atomically}.
   */
  default void ordered(Runnable action) {
    atomically(action);
  }

  /** Like {@link #ordered(Runnable)}; returns the result of {@code action}. */
  default <T extends @Nullable Object> T ordered(Supplier<T> action) {
    List<T> result = new ArrayList<>(1);
    ordered(
        () -> {
          result.add(action.get());
        });
    return result.get(0);
  }

  /** The earliest time that {@link #restore} accepts. */
  long reach();

  /**
   * Waits for writes in progress, then refuses requests with a fence. Returns the node's HLC
   * afterwards. Idempotent.
   */
  long pause(long epoch);

  /**
   * Undoes every write after {@code target}, in one storage transaction that also records {@code
   * (epoch, attempt)} as done. A repeat of the same pair changes nothing and returns the same
   * changed keys, also after a crash, until the epoch is resumed. Only while paused.
   *
   * @throws io.palinode.retroscope.OutOfReachException and changes nothing
   * @throws RestoreRefusedException if there are too many keys; changes nothing
   */
  Restoration restore(long epoch, int attempt, long target);

  /**
   * Like {@link #restore}, of these keys alone, each to its own HLC. Other keys stay as they are
   * and converge as with {@link #keep}. Only as the first attempt of an epoch that changes
   * anything: a later attempt restores all keys.
   *
   * @param target no key is restored to an earlier HLC
   * @param keys the HLC up to which a key stands, by its number in the {@link #accesses}
   */
  default Restoration restore(long epoch, int attempt, long target, Map<Long, Long> keys) {
    throw new RestoreRefusedException(
        RestoreRefusedException.Reason.ONLY_ALL, "this store cannot restore single keys");
  }

  /**
   * Starts or stops the access log. A stop discards the log. By any thread. A store without an
   * access log does nothing.
   */
  default void followAccesses(boolean wanted) {}

  /**
   * The access log after {@code hlc}. On a paused node it holds every access that was answered
   * before the pause.
   */
  default Trace accesses(long hlc) {
    return new Trace(node(), Long.MAX_VALUE, List.of());
  }

  /** The number of a key in the {@link #accesses}, the same on all nodes. */
  default long accessKey(StoreKey key) {
    throw new UnsupportedOperationException("this store has no access log");
  }

  /**
   * The epoch of the plan of the last {@link #restore} or {@link #keep}, also after a crash. The
   * records no longer belong to an earlier epoch. 0 if there was none.
   */
  long restoredEpoch();

  /**
   * Counts what {@link #restore} to {@code target} would change now. Changes nothing, and writes
   * continue. Writes within {@code except} do not count. By any thread. O(changes since {@code
   * target}). A store without the counts throws {@link UnsupportedOperationException}.
   *
   * @throws io.palinode.retroscope.OutOfReachException if the target cannot be restored
   */
  default UndoEffect effect(long target, List<HlcSpan> except) {
    throw new UnsupportedOperationException("this store cannot count the effect of an undo");
  }

  /**
   * Counts what {@link #restore(long, int, long, Map)} of these keys would change. Names no
   * clients.
   */
  default UndoEffect effect(long target, List<HlcSpan> except, Map<Long, Long> keys) {
    throw new UnsupportedOperationException("this store cannot restore single keys");
  }

  /**
   * Like {@link #restore}, but undoes nothing: keys that changed near and after {@code target}
   * converge as they are now.
   *
   * @throws RestoreRefusedException if there are too many keys, or if the reach is after {@code
   *     target}, so that the node cannot name them; use {@link #keepAll}
   */
  Restoration keep(long epoch, int attempt, long target);

  /**
   * Like {@link #keep}, of all keys of the node, changed or not. The result holds slices of keys,
   * with a digest of this node's records in each. O(keys), and little memory.
   */
  Restoration keepAll(long epoch, int attempt);

  /**
   * Like {@link #restore}, to the cut of a snapshot, from this node's part of it. The window-log
   * need not reach it. Returns slices of all keys, like {@link #keepAll}. Uses many storage
   * transactions; a repeat continues where a crash ended it. O(keys), and little memory.
   *
   * @throws RestoreRefusedException if the part lacks a store; changes nothing
   */
  default Restoration restoreFrom(long epoch, int attempt, OpenSnapshot part) {
    throw new RestoreRefusedException(
        RestoreRefusedException.Reason.NO_SNAPSHOT,
        "this store cannot be restored from a snapshot");
  }

  /**
   * Like {@link #read}, of the keys that lie in these slices. O(keys).
   *
   * @param kept whether the past of a key is given up to now; else up to {@code target}
   */
  List<KeyRecord> readSlices(List<StoreKey> slices, long target, boolean kept);

  /**
   * The stored records of these keys in the store's own format, an empty array for an absent key,
   * with their past up to the cut that was restored or kept last.
   */
  List<KeyRecord> read(List<StoreKey> keys);

  /** The nodes that hold the key, in ascending order; all nodes if every node holds each key. */
  default List<Integer> replicas(StoreKey key) {
    return IntStream.range(0, nodes()).boxed().toList();
  }

  /** All current versions of one key; empty if the key is absent. */
  List<Version> siblings(StoreKey key);

  /**
   * Merges the contributions of all nodes, each {@linkplain #read read} there, into this node's
   * keys. The versions remain that no other version supersedes and no delete covered. Skips keys
   * that this node does not hold. Returns the number of changed keys. A repeat changes nothing.
   * Only while paused.
   */
  int merge(List<KeyRecord> records);

  /**
   * Visits every key with all its versions. A key that is written during the scan is visited as it
   * was at some time of the scan, or not at all. The visitor calls nothing of the store.
   */
  void scan(ScanVisitor visitor);

  /**
   * Serves requests of {@code epoch}, and answers older ones with a fence that names {@code
   * target}. Also called once at start if no plan is open; a watched node serves no request before.
   * Idempotent.
   */
  void resume(long epoch, long target, long sequentialUntilMicros);

  /**
   * Like {@link #resume(long, long, long)}; the fence also carries the epochs that a client has
   * missed. A store whose protocol cannot carry them omits them.
   */
  default void resume(long epoch, long target, long sequentialUntilMicros, MissedEpochs missed) {
    resume(epoch, target, sequentialUntilMicros);
  }

  /**
   * Sets the keys that clients must use sequentially; fences and first responses carry them.
   * Replaces earlier keys. Called before each {@link #resume}. A store whose protocol cannot carry
   * them does nothing.
   */
  default void sequential(List<SequentialKeys> keys) {}

  /** Sets all known rollbacks, the open one included; no time within one is readable. */
  void rollbacks(RollbackTimes times);

  /** The health of the node's clock and storage; null if it is not observed. By any thread. */
  default @Nullable NodeHealth health() {
    return null;
  }

  /** Sets the newest safe point, which responses carry to clients. */
  void safePoint(long hlc);

  /** Receives the writes of a store. */
  @FunctionalInterface
  interface WriteListener {
    /**
     * Whether the listener needs the content of a write to this key. Called once for each write,
     * right before {@link #written}, which is then called only if true.
     */
    default boolean watches(StoreKey key) {
      return true;
    }

    void written(WriteEvent event);

    /**
     * A write was not passed on, and its key is unknown. Called first, by any thread, in any state,
     * within the write's turn if it has one. Takes no lock and allocates nothing.
     */
    default void missedWrite() {}
  }

  /** Receives the keys of a scan. */
  @FunctionalInterface
  interface ScanVisitor {
    void visit(StoreKey key, List<Version> siblings);
  }

  /**
   * The stored record of a key.
   *
   * @param past the versions and deletes before it, in the store's own format; empty if unknown
   */
  record KeyRecord(StoreKey key, byte[] siblings, byte[] past) {
    /**
     * The longest record, key included, that a rollback can send to other nodes. The rest of a
     * control log record takes less than the difference.
     */
    public static final int BYTES_MAX = TopicLayout.CONTROL_RECORD_BYTES_MAX - (1 << 20);
  }

  /**
   * The result of a restore.
   *
   * @param changed keys that changed after the target or within the convergence window before it
   * @param replicas this node's digests of some of them, to be compared with other nodes
   */
  record Restoration(long undoneWrites, List<StoreKey> changed, Map<StoreKey, Replica> replicas) {
    public Restoration(long undoneWrites, List<StoreKey> changed) {
      this(undoneWrites, changed, Map.of());
    }
  }

  /**
   * A digest of one node's record of a key, its past included.
   *
   * @param digest equal if the records are; not 0
   * @param nodes the nodes that hold the key, this one included; in one order on all nodes
   * @param weight of a slice, the approximate size of its keys in bytes; of a key 0
   */
  record Replica(long digest, List<Integer> nodes, long weight) {
    public Replica(long digest, List<Integer> nodes) {
      this(digest, nodes, 0);
    }
  }
}
