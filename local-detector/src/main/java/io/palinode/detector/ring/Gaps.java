package io.palinode.detector.ring;

import io.palinode.detector.ring.Emission.Gap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Unsent gaps of each partition, oldest first. Consecutive sequences are one gap. Other gaps stay
 * apart, because the events between them may arrive or be lost. With more than {@link #APART_MAX}
 * gaps of a partition, the last gap is widened. Not thread-safe.
 */
public final class Gaps {
  public static final int APART_MAX = 64;

  private final List<Deque<Gap>> ofPartition = new ArrayList<>();
  private int size;

  public Gaps(int partitions) {
    for (int i = 0; i < partitions; i++) {
      ofPartition.add(new ArrayDeque<>());
    }
  }

  int partitions() {
    return ofPartition.size();
  }

  /** Of all partitions. */
  public int size() {
    return size;
  }

  public int size(int partition) {
    return ofPartition.get(partition).size();
  }

  public void add(Gap gap) {
    Deque<Gap> known = ofPartition.get(gap.partition());
    Gap last = known.peekLast();
    if (last != null && (last.isFollowedBy(gap) || known.size() == APART_MAX)) {
      known.removeLast();
      known.add(last.with(gap));
    } else {
      known.add(gap);
      size++;
    }
  }

  /** Takes the oldest of a partition; null: there is none. */
  public @Nullable Gap take(int partition) {
    Gap gap = ofPartition.get(partition).poll();
    size -= gap == null ? 0 : 1;
    return gap;
  }
}
