package io.palinode.benchmarks.windowlog;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The obvious window-log, as Retroscope's first one was made: a doubly linked object for each
 * change, with its key, the old and the new value, and a time that is an object. A difference is a
 * map of references.
 */
final class LinkedLog implements RecentPast {
  private final LongSupplier micros;
  private final long ageMaxMicros;
  private long lastMicros;
  private int lastCounter;
  private @Nullable Entry first;
  private @Nullable Entry last;
  private int size;

  /** Equal by content, as a map needs it. */
  private static final class Key {
    private final byte[] bytes;
    private final int hash;

    Key(byte[] bytes) {
      this.bytes = bytes;
      this.hash = Arrays.hashCode(bytes);
    }

    @Override
    public boolean equals(@Nullable Object o) {
      return o instanceof Key other && Arrays.equals(bytes, other.bytes);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }

  private record Time(long micros, int counter) {
    boolean isAfter(long otherMicros, int otherCounter) {
      return micros > otherMicros || (micros == otherMicros && counter > otherCounter);
    }
  }

  private record Value(byte[] bytes, Time time) {}

  private static final class Entry {
    private final Key key;
    private final Value old;
    private final Value now;
    private @Nullable Entry previous;
    private @Nullable Entry next;

    Entry(Key key, Value old, Value now) {
      this.key = key;
      this.old = old;
      this.now = now;
    }
  }

  LinkedLog(LongSupplier micros, long ageMaxMicros) {
    this.micros = micros;
    this.ageMaxMicros = ageMaxMicros;
  }

  @Override
  public void append(byte[] key, byte[] old, byte[] now) {
    Time time = tick();
    add(new Entry(new Key(key), new Value(old, time), new Value(now, time)));
  }

  private synchronized Time tick() {
    long wall = micros.getAsLong();
    lastCounter = wall > lastMicros ? 0 : lastCounter + 1;
    lastMicros = Math.max(lastMicros, wall);
    return new Time(lastMicros, lastCounter);
  }

  private synchronized void add(Entry entry) {
    Entry before = last;
    entry.previous = before;
    if (before == null) {
      first = entry;
    } else {
      before.next = entry;
    }
    last = entry;
    size++;
    trim(entry.now.time().micros() - ageMaxMicros);
  }

  private void trim(long oldestMicros) {
    while (first != null && first.next != null && first.now.time().micros() < oldestMicros) {
      first = first.next;
      first.previous = null;
      size--;
    }
  }

  @Override
  public int diff(long pastMicros) {
    return diff(pastMicros, size).size();
  }

  @Override
  public int diffSized(long pastMicros, int changes) {
    return diff(pastMicros, changes).size();
  }

  @Override
  public long readDiff(long pastMicros) {
    long sum = 0;
    for (Map.Entry<Key, Value> each : diff(pastMicros, size).entrySet()) {
      sum += each.getKey().bytes[0] + each.getValue().bytes()[0];
    }
    return sum;
  }

  /** The first one sized its map to the whole log. */
  private synchronized Map<Key, Value> diff(long pastMicros, int capacity) {
    Map<Key, Value> oldByKey = new HashMap<>(capacity);
    for (Entry entry = last;
        entry != null && entry.now.time().isAfter(pastMicros, Integer.MAX_VALUE);
        entry = entry.previous) {
      oldByKey.put(entry.key, entry.old);
    }
    return oldByKey;
  }
}
