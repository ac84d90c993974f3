package io.palinode.detector;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.detector.ring.Activity;
import io.palinode.detector.terms.Holding;
import io.palinode.detector.terms.OpenInterval.Source;
import io.palinode.detector.terms.TermIndex.Match;
import io.palinode.detector.terms.Truth;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Turns each write into ends and openings of intervals. Called under the write lock. */
final class WriteWatcher {
  private final WatchedPredicates predicates;
  private final DetectorEpoch epoch;
  private final IntervalPublisher publisher;
  private final MissedWrites missed;
  private final Truth truth;
  private final Activity activity;
  private final Failures failures = new Failures();

  /** The key of the last {@link #watches}, for the write that follows. */
  private @Nullable StoreKey askedKey;

  private List<Match> askedMatches = List.of();

  WriteWatcher(
      WatchedPredicates predicates,
      DetectorEpoch epoch,
      IntervalPublisher publisher,
      MissedWrites missed,
      Truth truth,
      Activity activity) {
    this.predicates = predicates;
    this.epoch = epoch;
    this.publisher = publisher;
    this.missed = missed;
    this.truth = truth;
    this.activity = activity;
  }

  /** Bugs in the detector, none of which reached the store. */
  Failures failures() {
    return failures;
  }

  boolean watches(StoreKey key) {
    if (!epoch.isWatching()) {
      return false;
    }
    activity.note();
    try {
      askedKey = null;
      askedMatches = predicates.index().match(key);
      // Only if the write follows, which takes them.
      askedKey = askedMatches.isEmpty() ? null : key;
      return askedKey != null;
    } catch (RuntimeException bug) {
      // written() meets the same bug and counts it.
      return true;
    } catch (Error fatal) {
      missed.note();
      throw fatal;
    }
  }

  void written(WriteEvent event) {
    if (!epoch.isWatching()) {
      return;
    }
    boolean watched = false;
    try {
      watch(event);
      watched = true;
    } finally {
      if (!watched) {
        missed.note();
      }
    }
  }

  private void watch(WriteEvent event) {
    try {
      activity.note();
      List<Match> matches = matches(event.key());
      if (!matches.isEmpty()) {
        watch(event, matches);
      }
    } catch (VirtualMachineError fatal) {
      throw fatal;
    } catch (Throwable bug) {
      failures.record(bug);
      omit(event);
    }
  }

  /** Those of {@link #watches} if it was asked for this write. */
  private List<Match> matches(StoreKey key) {
    boolean isAsked = key.equals(askedKey);
    askedKey = null;
    return isAsked ? askedMatches : predicates.index().match(key);
  }

  private void watch(WriteEvent event, List<Match> matches) {
    List<Holding> holding = truth.of(matches, event.siblings());
    // Ends come first: they lie before the write, openings after it.
    publisher.closeAll(publisher.open().ended(event.key(), holding), event);
    for (Holding held : holding) {
      if (!publisher.open().contains(event.key(), held)) {
        publisher.open(event.key(), held, holding, event.after(), source(held, event));
      }
    }
    if (predicates.index().hasStates()) {
      Source writer = new Source(event.writer(), event.origin());
      publisher.publishStates(event.key(), matches, event.siblings(), event.after(), writer);
    }
  }

  /** An earlier version that was not open is found, not written. */
  private Source source(Holding held, WriteEvent event) {
    Version written = event.written();
    return written != null && written.isSameWriteAs(held.version())
        ? new Source(event.writer(), event.origin())
        : publisher.sourceOfFound(held);
  }

  /** Publishes a gap in place of the write's openings. Its ends need no term. */
  private void omit(WriteEvent event) {
    publisher.omissions().addUntilReset();
    publisher.publishGap(event.after().own());
    try {
      publisher.closeAll(publisher.open().gone(event.key(), event.siblings()), event);
    } catch (RuntimeException bug) {
      failures.record(bug);
    }
    if (predicates.index().hasStates()) {
      publisher.omissions().addState(event.key());
    }
  }
}
