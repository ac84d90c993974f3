package io.palinode.retroscope.snapshot;

import org.jspecify.annotations.Nullable;

/**
 * What is compared: a snapshot, or a time that is in reach.
 *
 * @param id null: the time is meant
 */
public record Point(@Nullable String id, long hlc) {
  public static Point ofSnapshot(String id) {
    return new Point(id, 0);
  }

  public static Point ofTime(long hlc) {
    return new Point(null, hlc);
  }
}
