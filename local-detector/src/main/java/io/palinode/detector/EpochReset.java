package io.palinode.detector;

import io.palinode.detector.KeyScan.Found;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.WriteFeed;
import io.palinode.detector.terms.TermIndex;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Begins an epoch: forgets every interval and opens those that hold. Guarded by the detector's
 * lock; the node serves no writes meanwhile.
 */
final class EpochReset {
  private final WriteFeed store;
  private final WatchedPredicates predicates;
  private final DetectorEpoch epoch;
  private final IntervalPublisher publisher;
  private final MissedWrites missed;
  private final IntervalScan scan;

  /** Watched keys that the store changed other than by writes since the last reset. */
  private final Set<StoreKey> changed = new HashSet<>();

  /** Whether the store may have changed any key. */
  private boolean anyChanged;

  /** Whether the newest reset failed before it opened all that holds. */
  private boolean unfinished;

  EpochReset(
      WriteFeed store,
      WatchedPredicates predicates,
      DetectorEpoch epoch,
      IntervalPublisher publisher,
      MissedWrites missed,
      IntervalScan scan) {
    this.store = store;
    this.predicates = predicates;
    this.epoch = epoch;
    this.publisher = publisher;
    this.missed = missed;
    this.scan = scan;
  }

  boolean isUnfinished() {
    return unfinished;
  }

  void noteChanged(Collection<StoreKey> keys) {
    // Most keys match no term. A scan finds what holds of a later predicate.
    TermIndex index = predicates.index();
    keys.stream().filter(key -> !index.match(key).isEmpty()).forEach(changed::add);
  }

  void noteAnyChanged() {
    anyChanged = true;
  }

  /** Begins the epoch right after {@code after}; a repeat finishes a reset that failed. */
  void begin(long number, long after) {
    if (missed.gaveUp()) {
      return;
    }
    if (epoch.isWatching() && epoch.number() == number) {
      finish();
      return;
    }
    // An unchanged state is published again, so known keys do not suffice for states.
    List<StoreKey> known = predicates.index().hasStates() ? null : keysThatMayHold();
    changed.clear();
    anyChanged = false;
    unfinished = true;
    store.atomically(
        () -> {
          publisher.clear();
          predicates.clearSearched();
          missed.clearEnds();
          epoch.begin(number, after, !missed.gaveUp());
          // No later write would close what this reset opens.
          missed.publishGivenUp();
        });
    if (known != null) {
      scan.openAt(known);
      finished();
      scan.noteSearched(new Found(known, true, true), predicates.all());
    }
    finish();
  }

  /** A scan opens only intervals that are not open, so it also completes a failed reset. */
  private void finish() {
    if (unfinished) {
      Found found = scan.open(predicates.index());
      finished();
      scan.noteSearched(found, predicates.all());
    }
  }

  private void finished() {
    unfinished = false;
    predicates.allScanned();
    store.atomically(epoch::publish);
  }

  /**
   * The keys at which something may hold: those of open intervals and those that the store changed
   * by itself. Null if only a scan can find them. Only while paused.
   */
  @Nullable List<StoreKey> keysThatMayHold() {
    boolean known = predicates.unscanned().isEmpty() && !unfinished && !anyChanged;
    Set<StoreKey> keys = new LinkedHashSet<>(changed);
    boolean complete =
        store.atomically(
            () -> {
              keys.addAll(publisher.open().keys());
              return publisher.omissions().isComplete();
            });
    return known && complete ? List.copyOf(keys) : null;
  }
}
