package io.palinode.retroscope;

/**
 * Hears of a window-log on disk, once for each change, what it cannot do. Called under the log's
 * lock: it waits for nothing.
 */
@FunctionalInterface
public interface DiskWatch {
  /** Times that were in reach are not any more; the sentence names file and reason. */
  void lost(String what);

  /** It is written again. */
  default void mended(String what) {}
}
