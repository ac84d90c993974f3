package io.palinode.store.past;

import io.palinode.retroscope.disklog.DiskBound;
import io.palinode.retroscope.disklog.LogVolume;
import io.palinode.store.engine.StorageException;

/** The place and bound of the window-logs on disk. The bound applies to each store. */
public record PastOnDisk(DiskBound bound, Volumes volumes) {

  /** The deletes take this part of the bound in addition. */
  private static final int DELETES_PART = 16;

  /** The logs of a store. */
  public enum Log {
    /** The records that changes replaced. */
    CHANGES,
    /** The deletes that the store accepted first. */
    DELETES
  }

  /** Gives each log of each store its own place. */
  @FunctionalInterface
  public interface Volumes {
    /** Throws {@link StorageException} if it cannot be made. */
    LogVolume of(String store, Log log);
  }

  DiskBound bound(Log log) {
    return switch (log) {
      case CHANGES -> bound;
      case DELETES ->
          new DiskBound(bound.ageMax(), 1 + bound.bytesMax() / DELETES_PART, bound.freeBytesMin());
    };
  }
}
