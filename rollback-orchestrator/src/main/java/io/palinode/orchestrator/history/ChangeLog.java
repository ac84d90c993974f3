package io.palinode.orchestrator.history;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The latest changes, numbered from 1. Thread-safe. The oldest is dropped, so no reader delays the
 * writers, and a reader that is too slow misses changes.
 */
public final class ChangeLog {
  public static final int KEPT_MAX = 10_000;

  private final Deque<Change> kept = new ArrayDeque<>();
  private long bytes;
  private long last;

  public synchronized void add(Change change) {
    last++;
    kept.add(change);
    bytes += change.bytes();
    while (kept.size() > KEPT_MAX || (bytes > ApiHistory.BYTES_MAX && kept.size() > 1)) {
      bytes -= kept.remove().bytes();
    }
  }

  /** The number of the latest change; 0: there was none. */
  public synchronized long last() {
    return last;
  }

  /**
   * At most {@code max} changes after this number, oldest first. Returns null if one of them was
   * dropped, or no change has had this number. O({@link #KEPT_MAX}).
   */
  public synchronized @Nullable List<Change> after(long number, int max) {
    long dropped = last - kept.size();
    if (number < dropped || number > last) {
      return null;
    }
    return kept.stream().skip(number - dropped).limit(max).toList();
  }
}
