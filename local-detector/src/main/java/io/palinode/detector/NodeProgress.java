package io.palinode.detector;

import io.palinode.detector.binding.NodeClock;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.detector.ring.Emission.Progress;
import io.palinode.hvc.Hlc;
import org.jspecify.annotations.Nullable;

/**
 * Adds the node's time to the ring as progress. Guarded by the order of writes.
 *
 * <p>Progress promises that no event with an earlier reading follows. Each event gets its reading
 * and enters the ring, or becomes a gap, in one turn of the order of writes. Progress takes a turn
 * too. A turn before it has added its event, and the ring keeps the order. A turn after it has
 * later readings, because the clock only grows. A write that has not had its turn has no reading
 * yet. A write that had its turn is published, although the store may not show it yet; a reader of
 * the store pauses it first ({@code Serving.pause}). The flags of missed writes are checked after
 * the reading, so a write that is missed later is not before the reading.
 */
final class NodeProgress {
  private final NodeClock store;
  private final CandidateRing ring;
  private final WatchedPredicates predicates;
  private final DetectorEpoch epoch;
  private final IntervalPublisher publisher;
  private final MissedWrites missed;

  NodeProgress(
      NodeClock store,
      CandidateRing ring,
      WatchedPredicates predicates,
      DetectorEpoch epoch,
      IntervalPublisher publisher,
      MissedWrites missed) {
    this.store = store;
    this.ring = ring;
    this.predicates = predicates;
    this.epoch = epoch;
    this.publisher = publisher;
    this.missed = missed;
  }

  /** Returns false if the ring is full or the detector may not publish. */
  boolean publish() {
    missed.publishGivenUp();
    if (!epoch.isPublishing()) {
      return false;
    }
    missed.publish();
    // Repeated: an interval that was refused still holds and is still not open.
    if (publisher.omissions().takeGapDue(Hlc.micros(store.clock().last().own()))) {
      publisher.publishGap(store.clock().tick().own());
    }
    if (!publisher.publishLate()) {
      return false;
    }
    // An end that is not published yet makes an answer last too long.
    boolean isWhole = publisher.omissions().hasAllIntervals() && !missed.mayHaveEnds();
    Progress reached = publisher.progress(predicates.searched(isWhole));
    if (!isAllowed(reached) || !ring.add(reached)) {
      return false;
    }
    epoch.published(reached.hvc().own());
    return true;
  }

  /** The progress after which no event is missing; null if an event is not published. */
  @Nullable Progress last() {
    boolean isWhole =
        epoch.isPublishing()
            && !missed.mayHaveEnds()
            && publisher.hasPublishedAll()
            && !publisher.omissions().hasStates();
    Progress reached =
        isWhole
            ? publisher.progress(predicates.searched(publisher.omissions().hasAllIntervals()))
            : null;
    return reached != null && isAllowed(reached) ? reached : null;
  }

  private boolean isAllowed(Progress reached) {
    return store.promises(reached.hvc().own()) && !missed.any();
  }
}
