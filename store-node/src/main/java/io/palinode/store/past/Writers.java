package io.palinode.store.past;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The writers of the latest writes, and the last write of each client. Bounded; what no longer fits
 * is unknown. Thread-safe.
 */
public final class Writers {
  /** Twelve bytes each. */
  public static final int WRITES_MAX = 1 << 16;

  public static final int CLIENTS_MAX = 1 << 12;

  private final long[] times = new long[WRITES_MAX];
  private final int[] clientOf = new int[WRITES_MAX];
  private final Map<String, Integer> numbers = new HashMap<>();
  private final List<String> names = new ArrayList<>();
  private final List<Long> lastWrites = new ArrayList<>();
  private long knownSince;
  private long count;

  /** For a node that opened at {@code openedAt}. */
  public Writers(long openedAt) {
    this.knownSince = openedAt;
  }

  /** Adds a write; call in HLC order. {@code client} is empty if unknown. */
  public synchronized void wrote(long hlc, String client) {
    int slot = (int) (count % WRITES_MAX);
    times[slot] = hlc;
    clientOf[slot] = number(client, hlc);
    count++;
  }

  private int number(String client, long hlc) {
    if (client.isEmpty()) {
      return -1;
    }
    if (names.size() == CLIENTS_MAX && !numbers.containsKey(client)) {
      forget(hlc);
    }
    int number = numbers.computeIfAbsent(client, name -> names.size());
    if (number == names.size()) {
      names.add(client);
      lastWrites.add(hlc);
    } else {
      lastWrites.set(number, hlc);
    }
    return number;
  }

  /** Too many clients: starts again. */
  private void forget(long hlc) {
    numbers.clear();
    names.clear();
    lastWrites.clear();
    count = 0;
    knownSince = hlc;
  }

  /** The HLC since which {@link #since} is complete, except for unnamed clients. */
  public synchronized long knownSince() {
    return knownSince;
  }

  /** The clients that wrote after {@code hlc}, in name order. */
  public synchronized List<String> since(long hlc) {
    List<String> found = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      if (lastWrites.get(i) > hlc) {
        found.add(names.get(i));
      }
    }
    found.sort(null);
    return found;
  }

  /** The writer of the write at {@code hlc}; empty if unknown. O(log n). */
  public synchronized String of(long hlc) {
    long low = Math.max(0, count - WRITES_MAX);
    long high = count - 1;
    while (low <= high) {
      long middle = (low + high) >>> 1;
      int slot = (int) (middle % WRITES_MAX);
      if (times[slot] == hlc) {
        return clientOf[slot] < 0 ? "" : names.get(clientOf[slot]);
      }
      if (times[slot] < hlc) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return "";
  }
}
