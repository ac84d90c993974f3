package io.palinode.detector.binding;

import io.palinode.hvc.HvcClock;
import org.jspecify.annotations.Nullable;

/**
 * A node of a store, its clock and its clock promise. Any thread may call {@link #clock} and {@link
 * #unpromisedMicros}.
 */
public interface NodeClock {
  int node();

  int nodes();

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
