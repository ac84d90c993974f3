package io.palinode.monitor.sequence;

import java.util.Map;
import java.util.TreeMap;

/**
 * The spans of the published gaps of one node on one partition. The oldest are dropped first; such
 * a gap may be published twice. O(log {@link #RANGES_MAX}) for a span that meets no other.
 */
final class PublishedGaps {
  private static final int RANGES_MAX = 100;

  /** First to last, none of which meets another. */
  private final TreeMap<Long, Long> ranges = new TreeMap<>();

  void add(long from, long to) {
    long first = from;
    long last = to;
    for (Map.Entry<Long, Long> met = ranges.floorEntry(last);
        met != null && met.getValue() >= first;
        met = ranges.floorEntry(last)) {
      ranges.remove(met.getKey());
      first = Math.min(first, met.getKey());
      last = Math.max(last, met.getValue());
    }
    ranges.put(first, last);
    if (ranges.size() > RANGES_MAX) {
      ranges.pollFirstEntry();
    }
  }

  /** Whether published gaps cover the whole span. */
  boolean has(long from, long to) {
    Map.Entry<Long, Long> at = ranges.floorEntry(from);
    return at != null && at.getValue() >= to;
  }
}
