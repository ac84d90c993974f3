package io.palinode.voldemort.cluster;

import java.util.List;

/** A zone, kept for stock peers; routing does not look at it. */
public record Zone(int id, List<Integer> proximity) {
  public Zone {
    proximity = List.copyOf(proximity);
  }
}
