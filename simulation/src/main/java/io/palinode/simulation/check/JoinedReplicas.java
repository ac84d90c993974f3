package io.palinode.simulation.check;

import io.palinode.hvc.Hvc;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Joins the intervals of one version on all nodes: from the start on the node that accepted it
 * first, or else where a scan found it first, to the first end on any node.
 */
final class JoinedReplicas {
  private JoinedReplicas() {}

  /** The joined intervals of all versions. O(n log n). */
  static List<Interval> of(List<Interval> intervals) {
    Map<String, List<Interval>> byVersion = new TreeMap<>();
    for (Interval interval : intervals) {
      String key =
          "%d %d %s %d %s"
              .formatted(
                  interval.watch.epoch(),
                  interval.watch.predicateVersion(),
                  interval.subject.instance(),
                  interval.subject.term(),
                  interval.version);
      byVersion.computeIfAbsent(key, k -> new ArrayList<>()).add(interval);
    }
    List<Interval> joined = new ArrayList<>();
    for (List<Interval> replicas : byVersion.values()) {
      Interval first = first(replicas);
      if (first != null) {
        joined.add(first.endingAt(firstEnd(first, replicas)));
      }
    }
    return joined;
  }

  private static @Nullable Interval first(List<Interval> replicas) {
    Interval first = null;
    for (Interval interval : replicas) {
      boolean isHere = interval.origin == null || interval.origin == interval.watch.node();
      boolean counts = isHere && !interval.endOnly;
      if (counts && (first == null || isEarlier(interval, first))) {
        first = interval;
      }
    }
    return first;
  }

  /** Where it was accepted goes before where it was found. */
  private static boolean isEarlier(Interval one, Interval other) {
    if ((one.origin == null) != (other.origin == null)) {
      return one.origin != null;
    }
    return one.start.own() != other.start.own()
        ? one.start.own() < other.start.own()
        : one.watch.node() < other.watch.node();
  }

  static @Nullable Hvc firstEnd(Interval first, List<Interval> replicas) {
    Hvc least = null;
    for (Interval interval : replicas) {
      Hvc end = interval.end;
      if (end == null
          || (interval.watch.node() == first.watch.node() && end.own() < first.start.own())) {
        continue;
      }
      if (least == null || isEarlier(end, least)) {
        least = end;
      }
    }
    return least;
  }

  private static boolean isEarlier(Hvc one, Hvc other) {
    return one.own() != other.own() ? one.own() < other.own() : one.owner() < other.owner();
  }
}
