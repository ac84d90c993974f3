package io.palinode.voldemort;

import io.palinode.retroscope.disklog.DiskBound;
import io.palinode.retroscope.disklog.LogVolume;

/**
 * Where and how far the window-logs of a node's stores go beyond memory; each store's by itself.
 */
public record PastOnDisk(DiskBound bound, Volumes volumes) {

  /** The deletes take so little of the bound besides. */
  private static final int DELETES_PART = 16;

  /** What is kept of a store. */
  public enum Log {
    /** What each change replaced. */
    CHANGES,
    /** Which deletes the store was the first to accept. */
    DELETES
  }

  /** Gives each log of each store a place of its own. */
  @FunctionalInterface
  public interface Volumes {
    /** Throws {@link StorageException} when there is none to be had. */
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
