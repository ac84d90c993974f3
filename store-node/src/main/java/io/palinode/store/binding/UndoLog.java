package io.palinode.store.binding;

import io.palinode.detector.binding.NodeClock;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import io.palinode.store.affected.Trace;
import io.palinode.wire.TopicLayout;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The past of a node's records: its reach, its restore, and the convergence of replicas. The node's
 * clock stamps all changes. One control thread calls these methods, except where a method says
 * otherwise.
 */
public interface UndoLog extends NodeClock {
  /** The earliest time that {@link #restore} accepts. By any thread. */
  long reach();

  /**
   * Why this node refuses each restore; empty if it does not. The orchestrator then refuses
   * predicates that ask for a rollback. By any thread.
   */
  default String watchedOnly() {
    return "";
  }

  /**
   * Why this node does not judge the operations of clients, such as {@code lostUpdate}; empty if it
   * does. The orchestrator then refuses predicates about them. By any thread.
   */
  default String operationsNotJudged() {
    return "";
  }

  /** The names of this node's stores; empty if they are not known. By any thread. */
  default Set<String> stores() {
    return Set.of();
  }

  /**
   * The keys that this node cannot restore: how they begin, and why. The orchestrator then refuses
   * predicates that name such a key and ask for a rollback. By any thread.
   */
  default Map<String, String> notRestored() {
    return Map.of();
  }

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

  /**
   * Merges the contributions of all nodes, each {@linkplain #read read} there, into this node's
   * keys. The versions remain that no other version supersedes and no delete covered. Skips keys
   * that this node does not hold. Returns the number of changed keys. A repeat changes nothing.
   * Only while paused.
   */
  int merge(List<KeyRecord> records);

  /**
   * Visits each change after {@code after} of the keys that {@code wanted} accepts, in the order of
   * each key's changes. Those of an undo and a merge count. Returns false, and visits nothing, if
   * the store does not know all of them. Only while paused. O(changes after {@code after}).
   */
  default boolean visitChanges(long after, Predicate<StoreKey> wanted, ChangeVisitor visitor) {
    return false;
  }

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

  /** Receives the changes of a store. */
  @FunctionalInterface
  interface ChangeVisitor {
    /**
     * @param before the versions that the change replaced; empty if the key was absent
     */
    void changed(long hlc, StoreKey key, List<Version> before);
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
   * @param digest equal if the records are; {@link #NONE}: replicas must exchange their records
   * @param nodes the nodes that hold the key, this one included; in one order on all nodes
   * @param weight of a slice, the approximate size of its keys in bytes; of a key 0
   */
  record Replica(long digest, List<Integer> nodes, long weight) {
    public static final long NONE = 0;

    public Replica(long digest, List<Integer> nodes) {
      this(digest, nodes, 0);
    }
  }
}
