package io.palinode.retroscope.snapshot;

import org.jspecify.annotations.Nullable;

/**
 * What is compared: a snapshot, or a time that is in reach.
 *
 * @param id null: the time is meant
 * @param number of the taking of the snapshot; 0: of whichever counts
 */
public record Point(@Nullable String id, long number, long hlc) {
  public static Point ofSnapshot(String id, long number) {
    return new Point(id, number, 0);
  }

  public static Point ofTime(long hlc) {
    return new Point(null, 0, hlc);
  }
}
