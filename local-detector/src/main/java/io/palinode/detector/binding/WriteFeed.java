package io.palinode.detector.binding;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The writes of a store in the order of their stamps, and the current versions of its keys. Any
 * thread may call these methods. Writes continue meanwhile, except where a method says otherwise.
 */
public interface WriteFeed {
  /**
   * Passes each committed write that the listener watches to it, in commit order. The writing
   * thread calls it and still holds the write lock. Changes by a restore or a merge are not passed
   * on. The listener must not block.
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
   * {@link #siblings} and {@link NodeClock#clock}.
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
   * stops them. The action therefore reads only the {@link NodeClock#clock} of the store, and does
   * not call {@link #atomically}.
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

  /** All current versions of one key; empty if the key is absent. */
  List<Version> siblings(StoreKey key);

  /**
   * Visits every key with all its versions. A key that is written during the scan is visited as it
   * was at some time of the scan, or not at all. The visitor calls nothing of the store.
   */
  void scan(ScanVisitor visitor);

  /**
   * Starts or stops the access log. A stop discards the log. By any thread. A store without an
   * access log does nothing.
   */
  default void followAccesses(boolean wanted) {}

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

    /**
     * Whether the listener may need the content of a write to a key that begins so. Called in the
     * order of the stamps, before such a write.
     */
    default boolean watchesBelow(StoreKey prefix) {
      return true;
    }

    void written(WriteEvent event);

    /**
     * A client stated that it read an old version here. Called as {@link #written}, in the order of
     * the stamps. Changes nothing in the store.
     */
    default void readStale(StaleRead read) {}

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
}
