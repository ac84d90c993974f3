package io.palinode.voldemort.client;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The replica with the least latency first, and loath to change: a client that always asks the same
 * replica reads its own writes.
 *
 * <p>A set of replicas starts with the node of the region (or the first of its preference list).
 * Another one takes over only when its mean latency was below half of the near one's for {@value
 * #SAMPLES_TO_SWITCH} of its answers in a row, or when the near one fails. Means are exponentially
 * weighted. Only answers are measured: a replica that gets no requests is not found to be nearer.
 */
final class NearestFirst implements ReplicaOrder {
  static final int SAMPLES_TO_SWITCH = 20;

  private static final double WEIGHT = 0.1;
  private static final double UNKNOWN = Double.MAX_VALUE;

  private final int region;
  private final Map<Integer, Double> meanNanos = new HashMap<>();
  private final Map<List<Integer>, Near> nearByList = new HashMap<>();

  /** {@code region}: the node to start with; -1: none. */
  NearestFirst(int region) {
    this.region = region;
  }

  /** The choice for the replicas of one preference list. */
  private static final class Near {
    int node;

    /** By node: how many of its latest answers in a row found it at less than half. */
    final Map<Integer, Integer> streaks = new HashMap<>();

    Near(int node) {
      this.node = node;
    }

    void choose(int chosen) {
      node = chosen;
      streaks.clear();
    }
  }

  @Override
  public synchronized List<Integer> order(List<Integer> preferenceList) {
    int near = near(preferenceList).node;
    List<Integer> ordered = new ArrayList<>(preferenceList);
    // Stable: replicas that are as far keep the order of the preference list.
    ordered.sort(
        (a, b) ->
            a == near || b == near
                ? Boolean.compare(b == near, a == near)
                : Double.compare(mean(a), mean(b)));
    return ordered;
  }

  private Near near(List<Integer> preferenceList) {
    Near near = nearByList.get(preferenceList);
    if (near == null) {
      near = new Near(preferenceList.contains(region) ? region : preferenceList.get(0));
      nearByList.put(List.copyOf(preferenceList), near);
    }
    return near;
  }

  @Override
  public synchronized void answered(int node, long nanos) {
    meanNanos.merge(node, (double) nanos, (mean, sample) -> mean + WEIGHT * (sample - mean));
    nearByList.forEach(
        (list, near) -> {
          if (node != near.node && list.contains(node)) {
            contend(near, node);
          }
        });
  }

  private void contend(Near near, int node) {
    boolean nearMeasured = meanNanos.containsKey(near.node);
    if (!nearMeasured || mean(node) >= mean(near.node) / 2) {
      near.streaks.remove(node);
    } else if (near.streaks.merge(node, 1, Integer::sum) >= SAMPLES_TO_SWITCH) {
      near.choose(node);
    }
  }

  @Override
  public synchronized void failed(int node) {
    nearByList.forEach(
        (list, near) -> {
          if (node == near.node) {
            Integer next = nearestBut(node, list);
            near.choose(next == null ? node : next);
          }
        });
  }

  private @Nullable Integer nearestBut(int failed, List<Integer> list) {
    Integer nearest = null;
    for (Integer node : list) {
      if (node != failed && (nearest == null || mean(node) < mean(nearest))) {
        nearest = node;
      }
    }
    return nearest;
  }

  private double mean(int node) {
    return meanNanos.getOrDefault(node, UNKNOWN);
  }
}
