package io.palinode.simulation.check;

import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The runs of a clause with {@code for}, written once more as they are defined. Without a time each
 * interval stands for itself.
 *
 * @param heldForMicros 0: for a moment
 */
public record TermRuns(long heldForMicros, long epsilonMicros) {
  private record Place(Watch watch, Write.Subject subject) {}

  boolean areNeeded() {
    return heldForMicros > 0;
  }

  /** All runs, of whatever length. Each counts from its time after its start on. */
  List<Interval> of(List<Interval> ended) {
    if (!areNeeded()) {
      return ended;
    }
    Map<Place, List<Interval>> places = new LinkedHashMap<>();
    ended.stream()
        .sorted(Comparator.comparingLong(interval -> interval.start.own()))
        .forEach(
            each ->
                places
                    .computeIfAbsent(new Place(each.watch, each.subject), k -> new ArrayList<>())
                    .add(each));
    List<Interval> runs = new ArrayList<>();
    places.values().forEach(ofPlace -> addRuns(ofPlace, runs));
    return runs;
  }

  private void addRuns(List<Interval> inOrder, List<Interval> runs) {
    List<Interval> parts = new ArrayList<>();
    Interval last = null;
    for (Interval next : inOrder) {
      if (last != null && !continues(last, next)) {
        runs.add(run(parts, last.end));
        parts = new ArrayList<>();
        last = null;
      }
      parts.add(next);
      last = last == null || endsLater(next, last) ? next : last;
    }
    if (last != null) {
      runs.add(run(parts, last.end));
    }
  }

  private static boolean endsLater(Interval one, Interval other) {
    Hvc end = one.end;
    Hvc otherEnd = other.end;
    return otherEnd != null && (end == null || end.own() > otherEnd.own());
  }

  /** They overlap, or one write ended the one and began the other. */
  private static boolean continues(Interval last, Interval next) {
    Hvc end = last.end;
    return end == null
        || next.start.own() <= end.own()
        || (last.endedBy != null && last.endedBy.equals(next.begunBy));
  }

  private Interval run(List<Interval> parts, @Nullable Hvc end) {
    Interval first = parts.get(0);
    return first.counting(countedFrom(first.itself.start), end, parts);
  }

  private Hvc countedFrom(Hvc start) {
    long own = start.own() + Hlc.ofMicros(heldForMicros);
    return start.raisedTo(own, own - Hlc.ofMicros(epsilonMicros));
  }

  /** The part of a run that begins with a published interval of it. */
  Interval since(Interval published, Interval run) {
    return areNeeded() && run.itself != published
        ? published.counting(countedFrom(published.start), run.end, List.of(published))
        : run;
  }
}
