package io.palinode.orchestrator.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The latest changes, numbered from 1. Thread-safe. The oldest is dropped, so no reader delays the
 * writers, and a reader that is too slow misses changes.
 */
public final class ChangeLog {
  public static final int KEPT_MAX = 10_000;

  private final @Nullable Change[] kept = new @Nullable Change[KEPT_MAX];
  private long last;

  public synchronized void add(Change change) {
    last++;
    kept[place(last)] = change;
  }

  /** The number of the latest change; 0: there was none. */
  public synchronized long last() {
    return last;
  }

  /**
   * At most {@code max} changes after this number, oldest first. Returns null if one of them was
   * dropped, or no change has had this number. O({@code max}).
   */
  public synchronized @Nullable List<Change> after(long number, int max) {
    if (number < Math.max(0, last - KEPT_MAX) || number > last) {
      return null;
    }
    List<Change> changes = new ArrayList<>();
    for (long next = number + 1; next <= last && changes.size() < max; next++) {
      changes.add(Objects.requireNonNull(kept[place(next)]));
    }
    return changes;
  }

  private static int place(long number) {
    return (int) (number % KEPT_MAX);
  }
}
