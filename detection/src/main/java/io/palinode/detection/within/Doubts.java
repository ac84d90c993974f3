package io.palinode.detection.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * When answers may have been missed. Of more than {@link #SPANS_MAX} spans the two nearest ones
 * become one, which doubts more. Not thread-safe.
 */
final class Doubts {
  private static final int SPANS_MAX = 64;

  /** Of each node, since when it is not known what is open there. */
  private final long[] unsureSince;

  private final List<Doubt> spans = new ArrayList<>();

  Doubts(int nodes) {
    unsureSince = new long[nodes];
    Arrays.fill(unsureSince, Long.MAX_VALUE);
  }

  int nodes() {
    return unsureSince.length;
  }

  long unsureSince(int node) {
    return unsureSince[node];
  }

  void unsure(int node, long since) {
    unsureSince[node] = Math.min(unsureSince[node], since);
  }

  /** From {@code at} on, it is known what is open at the node. */
  void sure(int node, long at) {
    if (unsureSince[node] <= at) {
      add(new Doubt(unsureSince[node], at, true));
    }
    unsureSince[node] = Long.MAX_VALUE;
  }

  /** A part of a known span changes nothing. */
  void add(Doubt span) {
    Doubt whole = span;
    for (int i = spans.size() - 1; i >= 0; i--) {
      if (spans.get(i).meets(whole)) {
        whole = whole.with(spans.remove(i));
        // It may meet others now.
        i = spans.size();
      }
    }
    spans.add(whole);
    if (spans.size() > SPANS_MAX) {
      spans.sort(Comparator.comparing(Doubt::opensOnly).thenComparingLong(Doubt::from));
      mergeNearest();
    }
  }

  private void mergeNearest() {
    int nearest = 0;
    long least = Long.MAX_VALUE;
    for (int i = 1; i < spans.size(); i++) {
      Doubt before = spans.get(i - 1);
      long between = spans.get(i).from() - before.to();
      if (before.opensOnly() == spans.get(i).opensOnly() && between < least) {
        nearest = i;
        least = between;
      }
    }
    spans.set(nearest - 1, spans.get(nearest - 1).with(spans.remove(nearest)));
  }

  /** Whether an answer to a trigger of {@code start} may be missing until {@code deadline}. */
  boolean touch(long start, long deadline, long epsilon) {
    long opened = Deadline.later(start, epsilon);
    for (long since : unsureSince) {
      if (since <= opened) {
        return true;
      }
    }
    for (Doubt span : spans) {
      if (span.from() <= (span.opensOnly() ? opened : deadline)
          && Deadline.later(span.to(), epsilon) >= start) {
        return true;
      }
    }
    return false;
  }

  /** Forgets spans that touch no trigger from {@code start} on. */
  void dropBefore(long start, long epsilon) {
    spans.removeIf(span -> Deadline.later(span.to(), epsilon) < start);
  }

  List<Doubt> spans() {
    return List.copyOf(spans);
  }
}
