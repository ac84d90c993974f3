package io.palinode.detector;

import io.palinode.detector.binding.NodeClock;
import io.palinode.hvc.Hvc;
import org.jspecify.annotations.Nullable;

/**
 * The epoch in which a detector publishes, and how far it has published in it. Written under the
 * write lock, or in the order of writes where {@link #stop} and {@link #published} are called.
 */
final class DetectorEpoch {
  private final NodeClock store;
  private long number;
  private boolean watching;
  private long publishedUpTo;

  /** When the epoch ended for this node, or the next one began; null while it publishes. */
  private @Nullable Hvc endedAt;

  DetectorEpoch(NodeClock store) {
    this.store = store;
  }

  long number() {
    return number;
  }

  /** Whether writes are watched: false before the first reset and after {@link #stop}. */
  boolean isWatching() {
    return watching;
  }

  /** Whether the detector publishes: it watches, and the epoch has not ended. */
  boolean isPublishing() {
    return watching && endedAt == null;
  }

  boolean hasEnded() {
    return endedAt != null;
  }

  /** Whether the store was restored for a later epoch: its records are no longer of this one. */
  boolean isRestored() {
    return store.restoredEpoch() > number;
  }

  /** The HLC of the last published progress; before that, the begin of the epoch. */
  long publishedUpTo() {
    return publishedUpTo;
  }

  void published(long hlc) {
    publishedUpTo = hlc;
  }

  /** Begins an epoch right after {@code after}, or at the clock if the clock is earlier. */
  void begin(long newNumber, long after, boolean watched) {
    number = newNumber;
    watching = watched;
    if (endedAt != null) {
      long begin = Math.max(endedAt.own(), after + 1);
      endedAt = endedAt.withOwn(Math.min(begin, store.clock().tick().own()));
    }
    publishedUpTo = (endedAt == null ? store.clock().last() : endedAt).own();
  }

  /** Ends the epoch now; nothing is published until {@link #publish}. */
  void end() {
    endedAt = store.clock().tick();
  }

  /** Publishes again: all intervals of the begun epoch are open. */
  void publish() {
    endedAt = null;
  }

  void stop() {
    watching = false;
  }

  /** The start of an interval that is found, not written. */
  Hvc startOfFound() {
    return endedAt == null ? store.clock().tick() : endedAt;
  }
}
