package io.palinode.orchestrator.history;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The last values by key, in the order of the keys' first values. Thread-safe. The oldest is
 * dropped.
 */
public final class History<K, V> {
  private final int capacity;
  private final LinkedHashMap<K, V> values = new LinkedHashMap<>();
  private long total;

  public History(int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException("capacity must be at least 1: capacity=" + capacity);
    }
    this.capacity = capacity;
  }

  /** Adds or replaces a value. A known key keeps its place. */
  public synchronized void put(K key, V value) {
    if (values.put(key, value) == null) {
      total++;
    }
    if (values.size() > capacity) {
      K oldest = values.keySet().iterator().next();
      values.remove(oldest);
    }
  }

  /** Changes the value of a key, if the key is known. */
  public synchronized void update(K key, UnaryOperator<V> change) {
    values.computeIfPresent(key, (k, v) -> change.apply(v));
  }

  /** Changes all values, oldest first. O(capacity). */
  public synchronized void replaceAll(UnaryOperator<V> change) {
    values.replaceAll((key, value) -> change.apply(value));
  }

  public synchronized @Nullable V get(K key) {
    return values.get(key);
  }

  /** At most {@code limit} values, the latest first. O(capacity). */
  public synchronized List<V> latest(int limit) {
    List<V> all = new ArrayList<>(values.values());
    Collections.reverse(all);
    return List.copyOf(all.subList(0, Math.min(limit, all.size())));
  }

  /** The number of keys ever added. */
  public synchronized long total() {
    return total;
  }
}
