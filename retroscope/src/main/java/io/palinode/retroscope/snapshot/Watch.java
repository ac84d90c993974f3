package io.palinode.retroscope.snapshot;

import io.palinode.retroscope.snapshot.file.SnapshotException;

/** Follows a taking, in its thread: several times a second, unless the disk stands still. */
public interface Watch {
  /** A watch without an observer. */
  Watch NONE = (keys, bytes) -> true;

  /** So much is written; false: stop, it is not wanted any more. */
  boolean progress(long keys, long bytes);

  /** Throws {@link SnapshotException} when it is not wanted any more. */
  default void passed(long keys, long bytes) {
    if (!progress(keys, bytes)) {
      throw new SnapshotException("cancelled");
    }
  }
}
