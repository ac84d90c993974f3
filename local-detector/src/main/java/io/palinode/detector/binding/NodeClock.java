package io.palinode.detector.binding;

import io.palinode.hvc.HvcClock;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A node of a store, its clock and its clock promise. Any thread may call {@link #clock} and {@link
 * #unpromisedMicros}.
 */
public interface NodeClock {
  int node();

  int nodes();

  /** The nodes that hold the key, in ascending order; all nodes if every node holds each key. */
  default List<Integer> replicas(StoreKey key) {
    return IntStream.range(0, nodes()).boxed().toList();
  }

  /** Grows with every start of the node, also after a crash. */
  long incarnation();

  HvcClock clock();

  /**
   * Ticks the {@link #clock} past {@code hlc}, as far as {@link HvcClock#tickPast} allows. This
   * incarnation and later ones publish no earlier time.
   */
  void pass(long hlc);

  /**
   * Returns whether later incarnations start after {@code hlc}. Extends the clock promise if
   * needed; false if the disk fails. Call within {@link WriteFeed#atomically} or {@link
   * WriteFeed#ordered}. Usually no I/O.
   */
  boolean promises(long hlc);

  /**
   * The epoch of the plan that last restored or kept the records, also after a crash. The records
   * no longer belong to an earlier epoch. 0 if there was none.
   */
  long restoredEpoch();

  /**
   * The time since the disk began to refuse clock promises, in microseconds; 0 if it does not. By
   * any thread.
   */
  default long unpromisedMicros() {
    return 0;
  }

  /** The health of the node's clock and storage; null if it is not observed. By any thread. */
  default @Nullable NodeHealth health() {
    return null;
  }
}
