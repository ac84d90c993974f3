package io.palinode.retroscope.snapshot.file;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Entries of one store in several runs as if they were one; of a key in several, the last counts.
 */
public final class MergedRuns {
  private final List<Cursor> cursors = new ArrayList<>();

  /**
   * @param runs the older first
   * @param after begin behind this key; null: at the first
   */
  public MergedRuns(List<RunReader> runs, int store, byte @Nullable [] after) {
    runs.forEach(run -> cursors.add(new Cursor((key, max) -> run.page(store, key, max), after)));
  }

  /**
   * @param pages the older first
   * @param after begin behind this key; null: at the first
   */
  public MergedRuns(List<Cursor.Pages> pages, byte @Nullable [] after) {
    pages.forEach(some -> cursors.add(new Cursor(some, after)));
  }

  /** The next entry, absent keys included; null behind the last. */
  public @Nullable Entry next() {
    Entry least = null;
    for (Cursor cursor : cursors) {
      Entry entry = cursor.current();
      if (entry != null
          && (least == null || Arrays.compareUnsigned(entry.key(), least.key()) <= 0)) {
        least = entry;
      }
    }
    if (least != null) {
      advancePast(least.key());
    }
    return least;
  }

  /** The next key that is there. */
  @Nullable Entry nextPresent() {
    Entry entry = next();
    while (entry != null && entry.record() == null) {
      entry = next();
    }
    return entry;
  }

  private void advancePast(byte[] key) {
    for (Cursor cursor : cursors) {
      Entry entry = cursor.current();
      if (entry != null && Arrays.equals(entry.key(), key)) {
        cursor.advance();
      }
    }
  }
}
