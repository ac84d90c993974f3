package io.palinode.voldemort;

import io.palinode.voldemort.protocol.VectorClock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The deletes that one store was the first to accept, as far back as its window-log reaches: the
 * log tells which versions went, but not up to which clock. Used under the node's write lock.
 */
final class Deletes {
  private final ArrayDeque<Entry> entries = new ArrayDeque<>();

  /** A delete of the versions up to {@code upTo}, first accepted at {@code hlc}. */
  record Delete(long hlc, VectorClock upTo) {}

  /**
   * A delete of {@code key}; or, without one, that at {@code hlc} everything after {@code
   * undoneAfter} was undone.
   */
  private record Entry(
      long hlc, @Nullable KeyBytes key, @Nullable VectorClock upTo, long undoneAfter) {}

  /** {@code reach}: that of the window-log; what is not after it is forgotten. */
  void add(long hlc, byte[] key, VectorClock upTo, long reach) {
    while (!entries.isEmpty() && entries.getFirst().hlc() <= reach) {
      entries.removeFirst();
    }
    entries.addLast(new Entry(hlc, new KeyBytes(key), upTo, 0));
  }

  /** A restore to {@code target} was done at {@code hlc}; it can be undone itself, so all stay. */
  void undone(long hlc, long target) {
    if (!entries.isEmpty()) {
      entries.addLast(new Entry(hlc, null, null, target));
    }
  }

  /** Those in {@code (since, target]} that stand on the cut at {@code target}, by key. */
  Map<KeyBytes, List<Delete>> standingAt(long target, long since) {
    List<Entry> standing = new ArrayList<>();
    for (Entry entry : entries) {
      if (entry.hlc() > target) {
        break;
      }
      if (entry.key() == null) {
        standing.removeIf(earlier -> earlier.hlc() > entry.undoneAfter());
      } else {
        standing.add(entry);
      }
    }
    Map<KeyBytes, List<Delete>> byKey = new LinkedHashMap<>();
    for (Entry entry : standing) {
      if (entry.key() != null && entry.upTo() != null && entry.hlc() > since) {
        byKey
            .computeIfAbsent(entry.key(), key -> new ArrayList<>())
            .add(new Delete(entry.hlc(), entry.upTo()));
      }
    }
    return byKey;
  }
}
