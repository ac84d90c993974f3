package io.palinode.orchestrator;

import java.util.LinkedHashSet;
import java.util.Set;

/** Separates new keys from repeats, up to its capacity. Not thread-safe. */
public final class RecentKeys<K> {
  private final int capacity;
  private final Set<K> keys = new LinkedHashSet<>();

  public RecentKeys(int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException("capacity must be at least 1: capacity=" + capacity);
    }
    this.capacity = capacity;
  }

  /** Returns false for a repeat. */
  public boolean admit(K key) {
    if (!keys.add(key)) {
      return false;
    }
    if (keys.size() > capacity) {
      K oldest = keys.iterator().next();
      keys.remove(oldest);
    }
    return true;
  }
}
