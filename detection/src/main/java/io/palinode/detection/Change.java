package io.palinode.detection;

import io.palinode.hvc.Grade;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An interval of which pairs may be certain now, for {@code from} and higher grades; null for none:
 * then it is the grades of its reports that may be final.
 */
record Change(Retained interval, @Nullable Grade from) {
  // What began first is likely to be reported once; in another order, it may be improved on again.
  private static final Comparator<Change> ORDER =
      Comparator.<Change>comparingLong(change -> change.interval().startOwn())
          .thenComparingInt(change -> change.interval().clause())
          .thenComparingInt(change -> change.interval().term())
          .thenComparingInt(change -> change.interval().node());

  static Change of(Retained interval) {
    return new Change(interval, Grade.UNCERTAIN);
  }

  /** In the order in which they are to be judged; several of one interval are one. */
  static List<Change> inOrder(List<Change> changes) {
    if (changes.size() < 2) {
      return changes;
    }
    changes.sort(ORDER);
    List<Change> ordered = new ArrayList<>();
    for (Change change : changes) {
      int last = ordered.size() - 1;
      if (last >= 0 && ordered.get(last).interval() == change.interval()) {
        ordered.set(last, ordered.get(last).and(change));
      } else {
        ordered.add(change);
      }
    }
    return ordered;
  }

  private Change and(Change other) {
    if (from == null || other.from == null) {
      return from == null ? other : this;
    }
    return new Change(interval, from.least(other.from));
  }

  List<Finding> judge(WatchedClause clause) {
    return from == null ? List.of() : clause.judge(interval, from);
  }
}
