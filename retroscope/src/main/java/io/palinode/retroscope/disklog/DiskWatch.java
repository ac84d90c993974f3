package io.palinode.retroscope.disklog;

/**
 * Receives the failures of a window-log on disk, once for each change. Called under the log's lock,
 * so it must not block.
 */
@FunctionalInterface
public interface DiskWatch {
  /** Times that were in reach are not any more; the sentence names file and reason. */
  void lost(String what);

  /** It is written again. */
  default void repaired(String what) {}
}
