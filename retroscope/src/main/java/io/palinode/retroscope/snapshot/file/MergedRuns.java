package io.palinode.retroscope.snapshot.file;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Entries of one store in several runs as if they were one; of a key in several, the last counts.
 */
public final class MergedRuns {
  private final List<Cursor> cursors;

  /** Those that stand at the least key. */
  private final List<Cursor> atLeast = new ArrayList<>();

  /**
   * @param runs the older first
   * @param after begin behind this key; null: at the first
   */
  public MergedRuns(List<RunReader> runs, int store, byte @Nullable [] after) {
    this(pages(runs, store), after);
  }

  private static List<Cursor.Pages> pages(List<RunReader> runs, int store) {
    List<Cursor.Pages> pages = new ArrayList<>();
    runs.forEach(run -> pages.add((key, max) -> run.page(store, key, max)));
    return pages;
  }

  /**
   * @param pages the older first
   * @param after begin behind this key; null: at the first
   */
  public MergedRuns(List<Cursor.Pages> pages, byte @Nullable [] after) {
    this(pages.stream().map(some -> new Cursor(some, after)).toList());
  }

  /**
   * @param cursors the older run's first
   */
  public MergedRuns(List<Cursor> cursors) {
    this.cursors = List.copyOf(cursors);
  }

  /** The next entry, absent keys included; null behind the last. */
  public @Nullable Entry next() {
    return nextUpTo(null);
  }

  /**
   * The next entry, absent keys included; null: there is none up to that key.
   *
   * @param key null: up to the last
   */
  public @Nullable Entry nextUpTo(byte @Nullable [] key) {
    Entry least = null;
    for (Cursor cursor : cursors) {
      Entry entry = cursor.current();
      if (entry != null) {
        int order = least == null ? -1 : Arrays.compareUnsigned(entry.key(), least.key());
        if (order < 0) {
          atLeast.clear();
        }
        if (order <= 0) {
          least = entry;
          atLeast.add(cursor);
        }
      }
    }
    if (least == null || (key != null && Arrays.compareUnsigned(least.key(), key) > 0)) {
      return null;
    }
    atLeast.forEach(Cursor::advance);
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
}
