package io.palinode.store.node;

import io.palinode.hvc.Epsilon;
import io.palinode.retroscope.WindowLogConfig;
import io.palinode.store.engine.StorageEngine.Durability;
import io.palinode.store.restore.RestoreLimit;
import java.time.Duration;

/**
 * The settings of a node, of any store.
 *
 * @param convergenceWindow keys changed this long before a rollback's target also converge; longer
 *     than a copy of a write takes
 * @param writes the durability of an acknowledged write
 * @param past whether operations are stamped and replaced records are logged
 * @param restores the memory limit of a restore
 */
public record NodeSettings(
    ClockBounds clocks,
    WindowLogConfig windowLog,
    Duration convergenceWindow,
    Durability writes,
    Past past,
    RestoreLimit restores) {
  /** Whether a node keeps the past. */
  public enum Past {
    /** Each operation has an HVC, and each write is in the window-log. */
    KEPT,
    /**
     * No clocks and no log, as in a node without Palinode. So nothing can be watched, restored, or
     * read in the past. For comparison.
     */
    NONE
  }

  /**
   * Longer than a client's request timeout plus the clock drift. A client gives up a copy after 5
   * s.
   */
  public static final Duration CONVERGENCE_WINDOW_DEFAULT = Duration.ofSeconds(6);

  public NodeSettings {
    if (convergenceWindow.isNegative()) {
      throw new IllegalArgumentException(
          "a window must not be negative: convergenceWindow=" + convergenceWindow);
    }
  }

  /**
   * Of a node that is alone in its process. A write outlives the process, not the machine.
   *
   * @param epsilon the bound on clock differences in the cluster
   */
  public static NodeSettings of(Epsilon epsilon) {
    return new NodeSettings(
        ClockBounds.of(epsilon),
        WindowLogConfig.DEFAULT,
        CONVERGENCE_WINDOW_DEFAULT,
        Durability.WRITTEN,
        Past.KEPT,
        RestoreLimit.ofHeap(1));
  }

  public NodeSettings withClocks(ClockBounds bounds) {
    return new NodeSettings(bounds, windowLog, convergenceWindow, writes, past, restores);
  }

  /** With other bounds of the window-log in memory. */
  public NodeSettings withWindowLog(WindowLogConfig bounds) {
    return new NodeSettings(clocks, bounds, convergenceWindow, writes, past, restores);
  }

  public NodeSettings withConvergenceWindow(Duration window) {
    return new NodeSettings(clocks, windowLog, window, writes, past, restores);
  }

  public NodeSettings withWrites(Durability durability) {
    return new NodeSettings(clocks, windowLog, convergenceWindow, durability, past, restores);
  }

  public NodeSettings withPast(Past newPast) {
    return new NodeSettings(clocks, windowLog, convergenceWindow, writes, newPast, restores);
  }

  public NodeSettings withRestores(RestoreLimit limit) {
    return new NodeSettings(clocks, windowLog, convergenceWindow, writes, past, limit);
  }

  boolean keepsPast() {
    return past == Past.KEPT;
  }
}
