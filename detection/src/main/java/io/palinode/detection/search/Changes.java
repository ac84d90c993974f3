package io.palinode.detection.search;

import io.palinode.hvc.Grade;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The intervals that one call changes, each once ({@link Retained#changedFrom}). Not thread-safe.
 */
public final class Changes {
  // What began first is likely to be reported once; in another order, it may be improved on again.
  private static final Comparator<Retained> ORDER =
      Comparator.comparingLong(Retained::startOwn)
          .thenComparingInt(Retained::clause)
          .thenComparingInt(Retained::term)
          .thenComparingInt(Retained::node);

  private final List<Retained> intervals = new ArrayList<>(2);

  /**
   * Pairs with the interval may be certain now, for {@code from} and higher grades; null for none:
   * then it is the grades of its reports that may be final.
   */
  public void add(Retained interval, @Nullable Grade from) {
    if (interval.change(from)) {
      intervals.add(interval);
    }
  }

  public boolean isEmpty() {
    return intervals.isEmpty();
  }

  /** In the order in which they are to be judged. */
  public List<Retained> inOrder() {
    if (intervals.size() > 1) {
      intervals.sort(ORDER);
    }
    return intervals;
  }

  /** They have been judged. */
  public void clear() {
    for (int i = 0; i < intervals.size(); i++) {
      intervals.get(i).judged();
    }
    intervals.clear();
  }
}
