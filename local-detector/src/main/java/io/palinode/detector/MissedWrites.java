package io.palinode.detector;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.WatchedStore;
import io.palinode.detector.terms.OpenInterval;
import io.palinode.hvc.Hvc;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes that the store did not pass on: publishes their gap, and closes the intervals they ended.
 *
 * <p>{@link #note} and {@link #giveUp} only set a flag, by any thread and without a lock. Progress
 * checks the flags last, by {@link #any}.
 */
final class MissedWrites {
  private final WatchedStore store;
  private final WatchedPredicates predicates;
  private final DetectorEpoch epoch;
  private final IntervalPublisher publisher;

  /** Whether a write was missed, and no gap was published for it. */
  private volatile boolean noted;

  /** Whether writes are missed until the process ends. */
  private volatile boolean gaveUp;

  /**
   * The time of the last missed write, until its ends are looked for; else null. Guarded by the
   * order of writes.
   */
  private @Nullable Hvc endsUpTo;

  /** Keys whose intervals may have ended, by a write at {@code at} or before. */
  private record PossibleEnds(Hvc at, List<StoreKey> keys) {}

  MissedWrites(
      WatchedStore store,
      WatchedPredicates predicates,
      DetectorEpoch epoch,
      IntervalPublisher publisher) {
    this.store = store;
    this.predicates = predicates;
    this.epoch = epoch;
    this.publisher = publisher;
  }

  /** Allocates nothing. */
  void note() {
    noted = true;
  }

  boolean isNoted() {
    return noted;
  }

  void giveUp() {
    gaveUp = true;
  }

  boolean gaveUp() {
    return gaveUp;
  }

  /** Whether a write is missed for which no gap is published. By any thread. */
  boolean any() {
    return noted || missesAll();
  }

  private boolean missesAll() {
    return gaveUp || !store.passesEveryWrite();
  }

  /** In the order of writes. */
  boolean mayHaveEnds() {
    return endsUpTo != null;
  }

  /** In the order of writes. */
  void clearEnds() {
    endsUpTo = null;
  }

  /** Publishes a gap for noted writes, in every partition. In the order of writes. */
  void publish() {
    if (noted && epoch.isWatching()) {
      // First: a write that is missed from now on is noted again.
      noted = false;
      boolean published = false;
      try {
        publisher.omissions().addInterval();
        if (predicates.index().hasStates()) {
          publisher.omissions().addAnyState();
        }
        endsUpTo = store.clock().tick();
        publisher.publishGap(epoch.publishedUpTo(), endsUpTo.own());
        published = true;
      } finally {
        if (!published) {
          noted = true;
        }
      }
    }
  }

  /** If no more writes arrive, publishes a last gap and stops. In the order of writes. */
  void publishGivenUp() {
    if (epoch.isWatching() && missesAll()) {
      gaveUp = true;
      publisher.publishGap(epoch.publishedUpTo(), store.clock().tick().own());
      epoch.stop();
    }
  }

  /**
   * Closes intervals whose version is gone, at the last missed write. Returns the failure to read a
   * key, which the next call reads again; null if all were read.
   */
  @Nullable RuntimeException closeGone() {
    PossibleEnds due = store.ordered(this::due);
    if (due == null) {
      return null;
    }
    RuntimeException unread = null;
    for (List<StoreKey> step : Steps.of(due.keys())) {
      RuntimeException failed = store.atomically(() -> closeGone(step, due.at()));
      unread = failed == null ? unread : failed;
    }
    if (unread == null) {
      store.ordered(() -> closedUpTo(due.at()));
    }
    return unread;
  }

  private @Nullable PossibleEnds due() {
    Hvc at = endsUpTo;
    // An end at this time also says that all events before it are published.
    return at != null && epoch.isPublishing() && store.promises(at.own())
        ? new PossibleEnds(at, publisher.open().keys())
        : null;
  }

  private void closedUpTo(Hvc at) {
    endsUpTo = Objects.equals(at, endsUpTo) ? null : endsUpTo;
  }

  private @Nullable RuntimeException closeGone(List<StoreKey> keys, Hvc at) {
    RuntimeException unread = null;
    for (StoreKey key : keys) {
      if (epoch.isRestored()) {
        return unread;
      }
      try {
        closeGone(key, at);
      } catch (RuntimeException failed) {
        // The other keys must not wait for this one.
        unread = failed;
      }
    }
    return unread;
  }

  private void closeGone(StoreKey key, Hvc at) {
    for (OpenInterval gone : publisher.open().gone(key, store.siblings(key))) {
      // A later miss ended an interval that began later.
      if (gone.start().own() <= at.own()) {
        publisher.closeMissed(gone, at);
      }
    }
  }
}
