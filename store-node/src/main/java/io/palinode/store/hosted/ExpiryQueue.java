package io.palinode.store.hosted;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Items by a second. Keeps the earliest ones up to a limit of bytes. Thread-safe. */
public final class ExpiryQueue<T> {
  private final long bytesMax;
  private final TreeMap<Long, Deque<Weighed<T>>> seconds = new TreeMap<>();
  private long bytes;

  private record Weighed<T>(T item, long bytes) {}

  public ExpiryQueue(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /** Returns how many items it dropped, the latest first, perhaps this one. */
  public synchronized int add(long second, T item, long itemBytes) {
    seconds.computeIfAbsent(second, any -> new ArrayDeque<>()).add(new Weighed<>(item, itemBytes));
    bytes += itemBytes;
    int dropped = 0;
    while (bytes > bytesMax) {
      dropLatest();
      dropped++;
    }
    return dropped;
  }

  private void dropLatest() {
    Map.Entry<Long, Deque<Weighed<T>>> last = seconds.lastEntry();
    bytes -= last.getValue().removeLast().bytes();
    if (last.getValue().isEmpty()) {
      seconds.remove(last.getKey());
    }
  }

  /** Removes and returns the items up to a second, in the order of their seconds. */
  public synchronized List<T> due(long second) {
    Map<Long, Deque<Weighed<T>>> ended = seconds.headMap(second, true);
    List<T> due = new ArrayList<>();
    for (Deque<Weighed<T>> items : ended.values()) {
      for (Weighed<T> each : items) {
        due.add(each.item());
        bytes -= each.bytes();
      }
    }
    ended.clear();
    return due;
  }
}
