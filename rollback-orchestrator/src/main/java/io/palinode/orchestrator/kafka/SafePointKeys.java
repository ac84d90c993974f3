package io.palinode.orchestrator.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.palinode.wire.ControlKeys;
import io.palinode.wire.v1.ControlRecord;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The Kafka keys of safe points, such that compaction removes only those that decide nothing.
 *
 * <p>A safe point decides nothing if the log holds a greater one after it, with no record between
 * them that depends on the safe point. A new safe point then takes its key. Each reader of the
 * compacted log thus meets every record with the same safe point as before (I23). A log of one
 * orchestrator keeps about one safe point for each other step, and some of its last ones.
 *
 * <p>Only keys of this process are used again: two orchestrators of one log share no key.
 * Thread-safe; a step costs one map access.
 */
final class SafePointKeys {
  private final ControlKeys keys;

  // Guarded by this. All keys that this process made: as many as safe points were unread at once,
  // and one for each step.
  private final Deque<String> free = new ArrayDeque<>();
  private final Set<String> own = new HashSet<>();
  private @Nullable String last;
  private long lastHlc;

  SafePointKeys(ControlKeys keys) {
    this.keys = keys;
  }

  /** The key of the next safe point. */
  synchronized byte[] next() {
    String used = free.poll();
    if (used != null) {
      return used.getBytes(UTF_8);
    }
    byte[] key = keys.unique();
    own.add(new String(key, UTF_8));
    return key;
  }

  /** The next record of the log. Refused records must not be passed. */
  synchronized void read(byte @Nullable [] key, ControlRecord record) {
    if (record.hasSafePoint()) {
      read(key == null ? "" : new String(key, UTF_8), record.getSafePoint().getHlc());
    } else if (dependsOnSafePoint(record)) {
      own.remove(last);
      last = null;
    }
  }

  private void read(String key, long hlc) {
    if (last == null || hlc > lastHlc) {
      release(last);
      last = key;
      lastHlc = hlc;
    } else {
      release(key);
    }
  }

  private void release(@Nullable String key) {
    if (key != null && own.contains(key)) {
      free.add(key);
    }
  }

  private static boolean dependsOnSafePoint(ControlRecord record) {
    return !(record.hasNodeReport()
        || record.hasWatching()
        || record.hasServing()
        || record.hasEffect()
        || record.hasSnapshot());
  }
}
