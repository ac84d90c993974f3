package io.palinode.detector;

import io.palinode.detector.affected.Trace;
import io.palinode.hvc.HvcClock;
import io.palinode.retroscope.snapshot.RollbackTimes;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import io.palinode.wire.TopicLayout;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What the detector and the node's side of control need of a store node: writes out, clock, read,
 * replace and scan for rollback, fence. Implemented by our node and by the agent. {@link #clock},
 * {@link #reach}, {@link #atomically}, {@link #ordered}, {@link #siblings} and {@link #scan} are
 * called by any thread, the rest by one control thread; writes go on meanwhile unless the node is
 * paused.
 */
public interface StoreBinding {
  int node();

  int nodes();

  /**
   * Ticks the {@link #clock} past {@code hlc}, as far as {@link HvcClock#tickPast} goes; this life
   * and the next ones of the node tell of no time before it any more.
   */
  void pass(long hlc);

  /**
   * Whether the next lives of this node tell of no time at or before {@code hlc}: sees to it, be it
   * on disk, unless that fails. What this life says of such a time, that it has told all up to it
   * above all, would else not hold of the node. In a turn of {@link #atomically} or {@link
   * #ordered}; in most it has only to look.
   */
  boolean promises(long hlc);

  /**
   * For how long, in microseconds, the disk has refused what {@link #promises} asks of it; 0: it
   * does not. By any thread.
   */
  default long unpromisedMicros() {
    return 0;
  }

  /** Grows with every start of the node, also after a crash. */
  long incarnation();

  HvcClock clock();

  /**
   * Each committed write that the listener wants is passed to it, in commit order, by the writing
   * thread, which still holds the write lock. What {@link #restore} and {@link #merge} change is
   * not passed on. The listener must not block.
   */
  void listen(WriteListener listener);

  /**
   * Whether every write is passed to the listener. Once that is not so it stays so. By any thread;
   * takes no lock.
   */
  default boolean isHeard() {
    return true;
  }

  /**
   * Runs {@code action} under the write lock: no write is between its first clock reading and its
   * listener meanwhile. Also while paused. The action is short, waits for nothing, and may call
   * {@link #siblings} and {@link #clock}.
   */
  void atomically(Runnable action);

  /**
   * Runs {@code action} between the writes, in the order in which they are stamped: no write is
   * between its first clock reading and its listener meanwhile. So every write that was stamped
   * before has been heard, and every later one gets a later reading than any that the action takes.
   * Never together with an {@link #atomically} of another thread.
   *
   * <p>Other than there, writes may be under way: one that was heard and is not yet to be seen in
   * the store, one that is seen and has yet to end, one that has not been stamped. A store whose
   * writes share their lock neither waits for them here nor stops them. So the action looks at
   * nothing of the store but its {@link #clock}, and does not call {@link #atomically}.
   */
  default void ordered(Runnable action) {
    atomically(action);
  }

  /** The earliest time that {@link #restore} accepts. */
  long reach();

  /**
   * Waits for writes in flight; from then on requests are refused with a fence. Idempotent. Returns
   * the node's HLC afterwards.
   */
  long pause(long epoch);

  /**
   * Undoes every write after {@code target}, in one storage transaction that also records {@code
   * (epoch, attempt)} as done; a repeat of the same pair changes nothing and tells the same changed
   * keys, also after a crash, until the epoch is resumed. Only while paused.
   *
   * @throws io.palinode.retroscope.OutOfReachException and changes nothing
   * @throws RestoreRefusedException likewise, when that would be too many keys
   */
  Restoration restore(long epoch, int attempt, long target);

  /**
   * Like {@link #restore}, of these keys alone, each up to its own time; the others stay as they
   * are, and are made equal on all replicas as with {@link #keep}. Only as the first attempt of an
   * epoch that changes anything: the next one is of all keys.
   *
   * @param target no key goes back to before it
   * @param keys by what stands for each in the {@link #accesses}: until when it stands
   */
  default Restoration restore(long epoch, int attempt, long target, Map<Long, Long> keys) {
    throw new RestoreRefusedException(
        RestoreRefusedException.Reason.ONLY_ALL, "this store undoes no single keys");
  }

  /**
   * From now on, or no more, it is noted who uses which keys; what was noted before is forgotten
   * when it is not wanted. Called by any thread. A store that cannot need not.
   */
  default void followAccesses(boolean wanted) {}

  /**
   * Who used which keys after {@code hlc}. What a paused node gives has all that it answered before
   * the pause.
   */
  default Trace accesses(long hlc) {
    return new Trace(node(), Long.MAX_VALUE, List.of());
  }

  /** What stands for a key in the {@link #accesses}, the same at all nodes. */
  default long accessKey(StoreKey key) {
    throw new UnsupportedOperationException("this store does not note who used which keys");
  }

  /**
   * The epoch of the plan that the last {@link #restore} or {@link #keep} was of, also after a
   * crash: from then on the records are no more those of an epoch before it. 0: there was none.
   */
  long restoredEpoch();

  /**
   * What {@link #restore} to {@code target} would change now; it changes nothing, and writes go on.
   * What lies in {@code except} is not counted among the writes. Called by any thread. O(changes
   * since {@code target}). A store that does not keep account of it throws {@link
   * UnsupportedOperationException}.
   *
   * @throws io.palinode.retroscope.OutOfReachException when it could not be restored
   */
  default UndoEffect effect(long target, List<HlcSpan> except) {
    throw new UnsupportedOperationException("this store does not tell what an undo would change");
  }

  /**
   * Likewise of the {@link #restore(long, int, long, Map)} of these keys alone. Whom that concerns
   * is not told.
   */
  default UndoEffect effect(long target, List<HlcSpan> except, Map<Long, Long> keys) {
    throw new UnsupportedOperationException("this store undoes no single keys");
  }

  /**
   * Like {@link #restore}, a step of the plan that is done once, but undoes nothing: what changed
   * near and after {@code target} is to be made equal on all replicas as it is now.
   *
   * @throws RestoreRefusedException when these are too many keys, or the node's past does not reach
   *     {@code target}, so that it cannot name them; {@link #keepAll} is to be used
   */
  Restoration keep(long epoch, int attempt, long target);

  /**
   * Like {@link #keep}, of all keys that are there, whether they changed or not: what it gives as
   * changed are slices of keys, with a digest of all that this node has in each. O(keys), and
   * little memory.
   */
  Restoration keepAll(long epoch, int attempt);

  /**
   * Like {@link #restore}, to the cut of a snapshot, from this node's part of it, which the
   * window-log need not reach; and gives slices of all keys, like {@link #keepAll}. It is done in
   * many storage transactions: a repeat goes on where a crash has ended it. O(keys), and little
   * memory.
   *
   * @throws RestoreRefusedException and changes nothing, when the part lacks a store
   */
  default Restoration restoreFrom(long epoch, int attempt, OpenSnapshot part) {
    throw new RestoreRefusedException(
        RestoreRefusedException.Reason.NO_SNAPSHOT, "this store is restored from no snapshot");
  }

  /**
   * Like {@link #read}, of the keys that lie in these slices. O(keys).
   *
   * @param kept what is known is told up to now; else up to {@code target}
   */
  List<KeyRecord> readSlices(List<StoreKey> slices, long target, boolean kept);

  /**
   * The records of these keys, in the store's own format, an empty array for an absent key; and
   * what is known of how they came about, up to the cut that was restored or kept last.
   */
  List<KeyRecord> read(List<StoreKey> keys);

  /** The nodes on which the key lives, in ascending order; where keys are not dealt out, all. */
  default List<Integer> replicas(StoreKey key) {
    return IntStream.range(0, nodes()).boxed().toList();
  }

  /** All versions of one key as they are now; empty when it is absent. */
  List<Version> siblings(StoreKey key);

  /**
   * Makes each key what all nodes together know of it, given what each of them, this one included,
   * {@linkplain #read has}: the versions that no other supersedes and that no delete covered. Keys
   * that do not live on this node are passed over. A repeat changes nothing. Only while paused.
   * Returns how many keys changed.
   */
  int merge(List<KeyRecord> records);

  /**
   * Visits every key with all its versions. While writes go on, a key that does not change
   * meanwhile is seen as it is, any other as it was at some moment or not at all. The visitor calls
   * nothing of the store.
   */
  void scan(ScanVisitor visitor);

  /**
   * Serves requests of {@code epoch}, and answers older ones with a fence that names {@code
   * target}. Also called once at start, when no plan is open: a watched node serves nothing before.
   * Idempotent.
   */
  void resume(long epoch, long target, long sequentialUntilMicros);

  /**
   * Likewise, and the fence also tells what a client has to know of epochs that it has missed. A
   * store whose clients cannot be told so leaves it out.
   */
  default void resume(long epoch, long target, long sequentialUntilMicros, MissedEpochs missed) {
    resume(epoch, target, sequentialUntilMicros);
  }

  /**
   * Told before each {@link #resume}: what a fence, and the answer to a client that is new, is to
   * ask of clients beside that. Replaces what was told before. A store whose clients have no way to
   * hear of it need not.
   */
  default void sequential(List<SequentialKeys> keys) {}

  /** All rollbacks that are known, the open one too: no time within one is to be read. */
  void rollbacks(RollbackTimes times);

  /** What the node observes of its clock and its storage; null: it does not. By any thread. */
  default @Nullable NodeHealth health() {
    return null;
  }

  /** The newest safe point, to be told to clients. */
  void safePoint(long hlc);

  /** Hears of writes. */
  @FunctionalInterface
  interface WriteListener {
    /**
     * Whether it wants to hear what a write of this key was, which costs more to tell than that
     * there was one. Called once for each, right before {@link #written} would be.
     */
    default boolean watches(StoreKey key) {
      return true;
    }

    void written(WriteEvent event);

    /**
     * A write was not told, and nobody knows which. By any thread, in any state, before anything
     * else is done about it, and where the write has its turn in that: takes no lock and allocates
     * nothing.
     */
    default void unheard() {}
  }

  /** Sees the keys of a scan. */
  @FunctionalInterface
  interface ScanVisitor {
    void visit(StoreKey key, List<Version> siblings);
  }

  /**
   * The stored record of a key.
   *
   * @param past how it came about, in the store's own format; empty: not known
   */
  record KeyRecord(StoreKey key, byte[] siblings, byte[] past) {
    /**
     * A longer one, its key included, cannot be told to other nodes, and a rollback would have to.
     * What stands around it in a record of the control log takes less than the difference.
     */
    public static final int BYTES_MAX = TopicLayout.CONTROL_RECORD_BYTES_MAX - (1 << 20);
  }

  /**
   * What a restore did.
   *
   * @param changed keys that changed after the target or within the convergence window before it
   * @param replicas what this node has of some of them, to be compared with what others have
   */
  record Restoration(long undoneWrites, List<StoreKey> changed, Map<StoreKey, Replica> replicas) {
    public Restoration(long undoneWrites, List<StoreKey> changed) {
      this(undoneWrites, changed, Map.of());
    }
  }

  /**
   * One node's record of a key, all that it knows of how the key came about.
   *
   * @param digest equal when the records are; not 0
   * @param nodes on which the key lives, this one included; in one order at all nodes
   * @param weight of a slice, what its keys take here, in bytes, nearly; of a key 0
   */
  record Replica(long digest, List<Integer> nodes, long weight) {
    public Replica(long digest, List<Integer> nodes) {
      this(digest, nodes, 0);
    }
  }
}
