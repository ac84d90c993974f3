package io.palinode.detector;

import io.palinode.detector.binding.StaleRead;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.detector.ring.Activity;
import io.palinode.detector.terms.Holding;
import io.palinode.detector.terms.OpenInterval.Source;
import io.palinode.detector.terms.TermIndex.Match;
import io.palinode.detector.terms.Truth;
import io.palinode.hvc.Hlc;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Turns each write into ends and openings of intervals. Called under the write lock. */
final class WriteWatcher {
  private static final long MICROS_PER_MS = 1_000;

  /** Later than this a copy was not sent with its write, but by a hint, a repair or a stream. */
  private static final long COPY_MS_MAX = 10_000;

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

  boolean watchesBelow(StoreKey prefix) {
    if (!epoch.isWatching()) {
      return false;
    }
    activity.note();
    return predicates.index().mayMatchBelow(prefix.key());
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
    if (predicates.index().hasOperations()) {
      truth.addOfOperations(matches, event, publisher.open().holdingAt(event.key()), holding);
    }
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

  /** Opens the intervals of a read. If that fails, nothing is missed but the read. */
  void readStale(StaleRead read) {
    if (!epoch.isWatching() || !predicates.index().hasOperations()) {
      return;
    }
    try {
      activity.note();
      List<Holding> holding = truth.of(predicates.index().match(read.key()), read);
      for (Holding held : holding) {
        if (!publisher.open().contains(read.key(), held)) {
          publisher.open(read.key(), held, holding, read.at(), publisher.sourceOf(read));
        }
      }
    } catch (RuntimeException bug) {
      failures.record(bug);
      publisher.omissions().addUntilReset();
      publisher.publishGap(read.at().own());
    }
  }

  /** An earlier version that was not open is found, not written. */
  private Source source(Holding held, WriteEvent event) {
    Version written = event.written();
    return written != null && written.isSameWriteAs(held.version())
        ? new Source(event.writer(), event.origin(), isLateCopy(written, event))
        : publisher.sourceOfFound(held);
  }

  /** Whether the version may have been written long before, at another node. */
  private static boolean isLateCopy(Version written, WriteEvent event) {
    long ageMs = Hlc.micros(event.after().own()) / MICROS_PER_MS - written.timestampMs();
    return event.origin() == null && written.timestampMs() > 0 && ageMs > COPY_MS_MAX;
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
