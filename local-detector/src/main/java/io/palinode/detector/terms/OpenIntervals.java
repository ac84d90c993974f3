package io.palinode.detector.terms;

import io.palinode.detector.binding.Evidence;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The open intervals of a node, by key. At most {@code intervalsMax}, fewer if their keys or clocks
 * are long. Written under one lock; {@link #size} may be asked by any thread.
 */
public final class OpenIntervals {
  /** What one may take on average, in bytes, before there is no room for more. */
  public static final long BYTES_EACH = 1_000;

  /** The objects of one interval, about. */
  private static final int BYTES_FIXED = 600;

  /** A key stands in the interval, in its captures and its name, and in the map. */
  private static final int KEY_COPIES = 4;

  private final int intervalsMax;
  private final Map<StoreKey, List<OpenInterval>> byKey = new HashMap<>();
  private volatile int size;
  private long bytes;

  public OpenIntervals(int intervalsMax) {
    if (intervalsMax < 1) {
      throw new IllegalArgumentException(
          "intervalsMax must be at least 1: intervalsMax=" + intervalsMax);
    }
    this.intervalsMax = intervalsMax;
  }

  public int size() {
    return size;
  }

  public int intervalsMax() {
    return intervalsMax;
  }

  /**
   * Whether there is room for a good part more, so that it pays to look for what has none.
   *
   * @param over intervals that are over, and that still take their room
   * @param overBytes the versions of their ends
   */
  public boolean hasRoom(int over, long overBytes) {
    int enough = intervalsMax - Math.max(1, intervalsMax / 8);
    return size + over <= enough && bytes + overBytes <= enough * BYTES_EACH;
  }

  public boolean isFull(int over, long overBytes) {
    return size + over >= intervalsMax || bytes + overBytes >= intervalsMax * BYTES_EACH;
  }

  private static long bytesOf(OpenInterval interval) {
    Evidence evidence = interval.holding().evidence();
    return BYTES_FIXED
        + (long) KEY_COPIES * interval.key().key().length
        + interval.holding().version().bytes()
        + (evidence == null ? 0 : evidence.bytes());
  }

  public List<StoreKey> keys() {
    return List.copyOf(byKey.keySet());
  }

  public boolean contains(StoreKey key, Holding holding) {
    for (OpenInterval interval : byKey.getOrDefault(key, List.of())) {
      if (interval.isOf(holding)) {
        return true;
      }
    }
    return false;
  }

  /** What holds at a key, as far as it is open. */
  public List<Holding> holdingAt(StoreKey key) {
    return byKey.getOrDefault(key, List.of()).stream().map(OpenInterval::holding).toList();
  }

  public void add(OpenInterval interval) {
    byKey.computeIfAbsent(interval.key(), k -> new ArrayList<>(2)).add(interval);
    bytes += bytesOf(interval);
    resize(1);
  }

  public boolean contains(OpenInterval interval) {
    List<OpenInterval> intervals = byKey.get(interval.key());
    return intervals != null && intervals.contains(interval);
  }

  /** Takes out one; false when it is not there. */
  public boolean remove(OpenInterval interval) {
    List<OpenInterval> intervals = byKey.get(interval.key());
    if (intervals == null || !intervals.remove(interval)) {
      return false;
    }
    if (intervals.isEmpty()) {
      byKey.remove(interval.key());
    }
    bytes -= bytesOf(interval);
    resize(-1);
    return true;
  }

  /** The intervals of {@code key} that are not among {@code holding} any more. */
  public List<OpenInterval> ended(StoreKey key, List<Holding> holding) {
    List<OpenInterval> intervals = byKey.get(key);
    if (intervals == null) {
      return List.of();
    }
    List<OpenInterval> ended = new ArrayList<>(intervals.size());
    for (OpenInterval interval : intervals) {
      if (!interval.isAmong(holding)) {
        ended.add(interval);
      }
    }
    return ended;
  }

  /**
   * The intervals of {@code key} whose versions are not among the siblings any more. No term is
   * asked: it holds as long as the version is there.
   */
  public List<OpenInterval> gone(StoreKey key, List<Version> siblings) {
    return byKey.getOrDefault(key, List.of()).stream()
        .filter(interval -> siblings.stream().noneMatch(interval::isOfVersion))
        .toList();
  }

  /** Drops the intervals of these terms, as if they had never been. O(open). */
  public void forget(Predicate<WatchedTerm> terms) {
    int kept = 0;
    long keptBytes = 0;
    for (Iterator<List<OpenInterval>> i = byKey.values().iterator(); i.hasNext(); ) {
      List<OpenInterval> intervals = i.next();
      intervals.removeIf(interval -> terms.test(interval.holding().term()));
      kept += intervals.size();
      keptBytes += intervals.stream().mapToLong(OpenIntervals::bytesOf).sum();
      if (intervals.isEmpty()) {
        i.remove();
      }
    }
    size = kept;
    bytes = keptBytes;
  }

  public void clear() {
    byKey.clear();
    size = 0;
    bytes = 0;
  }

  // One thread writes at a time, so reading and writing the field apart loses nothing.
  private void resize(int change) {
    int resized = size + change;
    size = resized;
  }
}
