package io.palinode.detector;

import io.palinode.hvc.HvcClock;
import java.util.List;

/**
 * What the detector and the node's side of control need of a store node: writes out, clock, read,
 * replace and scan for rollback, fence. Implemented by our node and by the agent. Calls come from
 * one control thread; writes go on meanwhile unless the node is paused.
 */
public interface StoreBinding {
  int node();

  int nodes();

  /** Grows with every start of the node, also after a crash. */
  long incarnation();

  HvcClock clock();

  /**
   * Each committed write is passed to the listener, in commit order, by the writing thread. The
   * listener must not block.
   */
  void listen(WriteListener listener);

  /** The earliest time that {@link #restore} accepts. */
  long reach();

  /**
   * Waits for writes in flight; from then on requests are refused with a fence. Idempotent. Returns
   * the node's HLC afterwards.
   */
  long pause(long epoch);

  /**
   * Undoes every write after {@code target}, in one storage transaction that also records {@code
   * (epoch, attempt)} as done; a repeat of the same pair changes nothing. Only while paused.
   *
   * @throws io.palinode.retroscope.OutOfReachException and changes nothing
   */
  Restoration restore(long epoch, int attempt, long target);

  /** The records of these keys, in the store's own format; an empty array for an absent key. */
  List<KeyRecord> read(List<StoreKey> keys);

  /**
   * Adds the versions of {@code records} that are not obsolete here. Only while paused. Returns how
   * many keys changed.
   */
  int merge(List<KeyRecord> records);

  /** Visits every key with all its versions. Only while paused or before serving. */
  void scan(ScanVisitor visitor);

  /**
   * Serves requests of {@code epoch}, and answers older ones with a fence that names {@code
   * target}.
   */
  void resume(long epoch, long target, long sequentialUntilMicros);

  /** The newest safe point, to be told to clients. */
  void safePoint(long hlc);

  /** Hears of writes. */
  @FunctionalInterface
  interface WriteListener {
    void written(WriteEvent event);
  }

  /** Sees the keys of a scan. */
  @FunctionalInterface
  interface ScanVisitor {
    void visit(StoreKey key, List<Version> siblings);
  }

  /** The stored record of a key. */
  record KeyRecord(StoreKey key, byte[] siblings) {}

  /**
   * What a restore did.
   *
   * @param changed keys that changed after the target or within the convergence window before it
   */
  record Restoration(long undoneWrites, List<StoreKey> changed) {}
}
