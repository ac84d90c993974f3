package io.palinode.orchestrator.health;

import io.palinode.wire.v1.PeerClock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Bounds on the offset of each pair of clocks, from the reports of both nodes.
 *
 * <p>Node i reports an upper bound of clock i − clock j, and node j one of clock j − clock i. Both
 * together are an interval that has the offset, whatever the delays of the log and the clock of
 * this process. Its length is the sum of the least delays of both directions. Bounds grow by {@link
 * #DRIFT_PPM} with their age. A clock of this process that is 1 s off makes an error of 0.1 ms.
 *
 * <p>After a clock was set, an interval is empty or wrong for up to a minute. Not thread-safe. O(n)
 * for a report of n peers.
 */
final class PairOffsets {
  /** As nodes assume it of their clocks. */
  static final long DRIFT_PPM = 100;

  /** A node reports every few seconds; the bounds of a silent one are no longer used. */
  static final long FORGET_MICROS = 35_000_000;

  private static final long PPM = 1_000_000;

  private final SortedMap<Integer, Row> rows = new TreeMap<>();

  private record Row(long receivedMicros, Map<Integer, Long> aheadMax) {
    @Nullable Long bound(int other, long nowMicros) {
      Long bound = aheadMax.get(other);
      long age = Math.max(0, nowMicros - receivedMicros);
      return bound == null || age > FORGET_MICROS ? null : bound + age * DRIFT_PPM / PPM + 1;
    }
  }

  /**
   * Adds the bounds that a node reports. They replace its earlier ones.
   *
   * @param sentMicros by the node's clock, only for the age of the bounds
   */
  void reported(int node, List<PeerClock> peers, long sentMicros, long receivedMicros) {
    long grown = Math.max(0, receivedMicros - sentMicros) * DRIFT_PPM / PPM;
    Map<Integer, Long> bounds = new HashMap<>();
    peers.forEach(peer -> bounds.put(peer.getNode(), peer.getAheadMicrosMax() + grown));
    rows.put(node, new Row(receivedMicros, bounds));
  }

  /** All pairs of which both nodes have reported bounds; the lower node first. */
  List<PairOffset> at(long nowMicros) {
    List<PairOffset> pairs = new ArrayList<>();
    rows.forEach(
        (node, row) -> {
          for (int other : rows.tailMap(node + 1).keySet()) {
            PairOffset pair = pair(node, other, nowMicros);
            if (pair != null) {
              pairs.add(pair);
            }
          }
        });
    return pairs;
  }

  /** Null: not known. */
  @Nullable PairOffset pair(int node, int other, long nowMicros) {
    Row row = rows.get(node);
    Row back = rows.get(other);
    Long most = row == null ? null : row.bound(other, nowMicros);
    Long least = back == null ? null : back.bound(node, nowMicros);
    return most == null || least == null ? null : new PairOffset(node, other, -least, most);
  }
}
