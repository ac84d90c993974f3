package io.palinode.orchestrator.history;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The last values by key, in the order of the keys' first values. Thread-safe. The oldest is
 * dropped if there are too many, or if together they have too many bytes.
 */
public final class History<K, V> {
  private final int capacity;
  private final long bytesMax;
  private final ToLongFunction<V> bytesOf;
  private final LinkedHashMap<K, V> values = new LinkedHashMap<>();
  private long bytes;
  private long total;

  /** For values of which none is long. */
  public History(int capacity) {
    this(capacity, Long.MAX_VALUE, value -> 0);
  }

  public History(int capacity, long bytesMax, ToLongFunction<V> bytesOf) {
    if (capacity < 1) {
      throw new IllegalArgumentException("capacity must be at least 1: capacity=" + capacity);
    }
    this.capacity = capacity;
    this.bytesMax = bytesMax;
    this.bytesOf = bytesOf;
  }

  /** Adds or replaces a value. A known key keeps its place. */
  public synchronized void put(K key, V value) {
    V before = values.put(key, value);
    if (before == null) {
      total++;
    }
    bytes += bytesOf.applyAsLong(value) - (before == null ? 0 : bytesOf.applyAsLong(before));
    dropOldest();
  }

  private void dropOldest() {
    Iterator<V> oldest = values.values().iterator();
    while (values.size() > capacity || (bytes > bytesMax && values.size() > 1)) {
      bytes -= bytesOf.applyAsLong(oldest.next());
      oldest.remove();
    }
  }

  /** Changes the value of a key, if the key is known. */
  public synchronized void update(K key, UnaryOperator<V> change) {
    V before = values.get(key);
    if (before != null) {
      put(key, change.apply(before));
    }
  }

  /** Changes all values, oldest first. O(capacity). */
  public synchronized void replaceAll(UnaryOperator<V> change) {
    values.replaceAll((key, value) -> change.apply(value));
    bytes = values.values().stream().mapToLong(bytesOf).sum();
    dropOldest();
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
