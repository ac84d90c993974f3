package io.palinode.detector;

import io.palinode.detector.binding.NodeClock;
import io.palinode.detector.binding.StaleRead;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.detector.ring.Emission.Closed;
import io.palinode.detector.ring.Emission.Event;
import io.palinode.detector.ring.Emission.Gap;
import io.palinode.detector.ring.Emission.IntervalEvent;
import io.palinode.detector.ring.Emission.KeyState;
import io.palinode.detector.ring.Emission.Late;
import io.palinode.detector.ring.Emission.Opened;
import io.palinode.detector.ring.Emission.Progress;
import io.palinode.detector.ring.Unpublished;
import io.palinode.detector.terms.ActivePredicate;
import io.palinode.detector.terms.Holding;
import io.palinode.detector.terms.OpenInterval;
import io.palinode.detector.terms.OpenInterval.Source;
import io.palinode.detector.terms.OpenIntervals;
import io.palinode.detector.terms.StateDigest;
import io.palinode.detector.terms.TermIndex.Match;
import io.palinode.detector.terms.Truth;
import io.palinode.detector.terms.WatchedTerm;
import io.palinode.hvc.Hvc;
import io.palinode.wire.CandidateRecords;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * Opens and closes intervals: numbers their events and adds them to the ring, in time order.
 * Guarded by the order of writes, except where a method says otherwise.
 *
 * <p>An event without room becomes part of a gap and is published late, before the next progress:
 * an end and a key state with their own time, an opening only while its interval is open.
 */
final class IntervalPublisher {
  private static final long ROOM_WAIT_SECONDS = 10;

  /** The published part of a value; of a longer one the beginning, and its length. */
  static final int VALUE_PUBLISHED_MAX = 1 << 10;

  /** The part of a value that is kept while its interval is open; a decimal is never longer. */
  static final int VALUE_KEPT_MAX = 128;

  /** Siblings that are published beside the version that names the interval. */
  private static final int SIBLINGS_MAX = 8;

  /** Late events that one event may publish before it. */
  private static final int LATE_MAX = 64;

  private final NodeClock store;
  private final CandidateRing ring;
  private final ToIntFunction<String> partitionOf;
  private final DetectorEpoch epoch;
  private final Truth truth;
  private final OpenIntervals open;
  private final Unpublished unpublished;
  private final Omissions omissions;

  /** The last sequence of each partition. */
  private final long[] sequences;

  private final LongAdder openedCount = new LongAdder();
  private final LongAdder closedCount = new LongAdder();

  IntervalPublisher(
      NodeClock store,
      CandidateRing ring,
      ToIntFunction<String> partitionOf,
      DetectorEpoch epoch,
      Truth truth,
      int openIntervalsMax) {
    this.store = store;
    this.ring = ring;
    this.partitionOf = partitionOf;
    this.epoch = epoch;
    this.truth = truth;
    this.open = new OpenIntervals(openIntervalsMax);
    this.unpublished = new Unpublished(ring, openIntervalsMax);
    this.omissions = new Omissions(openIntervalsMax);
    this.sequences = new long[ring.partitions()];
  }

  /** The open intervals, to be read; they change by methods of this class only. */
  OpenIntervals open() {
    return open;
  }

  Omissions omissions() {
    return omissions;
  }

  /** Whether no event waits to be published late. */
  boolean hasPublishedAll() {
    return unpublished.isEmpty();
  }

  /** Whether it pays to scan for intervals that were refused. */
  boolean hasRoom() {
    return open.hasRoom(unpublished.ends(), unpublished.endBytes());
  }

  /** Drops the intervals and late events of these terms. O(open intervals). */
  void forget(Predicate<WatchedTerm> terms) {
    open.forget(terms);
    unpublished.forget(terms);
  }

  /** Drops all intervals and late events. */
  void clear() {
    omissions.clear();
    open.clear();
    unpublished.clear();
  }

  /** Opens those of {@code holding} that are not open. */
  void openMissing(StoreKey key, List<Holding> holding, Hvc start) {
    for (Holding held : holding) {
      if (!open.contains(key, held)) {
        open(key, held, holding, start, sourceOfFound(held));
      }
    }
  }

  /** Opens an interval, or publishes a gap if the table of open intervals is full. */
  void open(StoreKey key, Holding held, List<Holding> holding, Hvc start, Source source) {
    String instance = OpenInterval.instanceOf(held);
    int partition = partitionOf.applyAsInt(instance);
    boolean allPublished = publishLate();
    long sequence = ++sequences[partition];
    if (open.isFull(unpublished.ends(), unpublished.endBytes())) {
      omissions.addInterval();
      ring.lost(Gap.ofOne(epoch.number(), partition, sequence, start.own()));
      return;
    }
    OpenInterval interval =
        new OpenInterval(
            key, held.beginning(VALUE_KEPT_MAX), instance, partition, sequence, start, source);
    open.add(interval);
    Opened opened = new Opened(epoch.number(), interval, versions(held, holding));
    if (!unpublished.publish(opened, allPublished)) {
      unpublished.add(interval);
    }
    openedCount.increment();
  }

  /**
   * The source of a version that was found. Its first acceptor may have it from elsewhere too, so
   * its origin is unknown there. A copy keeps its origin: that node may have superseded it already.
   */
  Source sourceOfFound(Holding held) {
    Integer origin = held.version().origin();
    return origin == null || origin == store.node() ? Source.UNKNOWN : new Source("", origin, true);
  }

  /** Of the interval of a read: the reader, and this node, which returned the version. */
  Source sourceOf(StaleRead read) {
    return new Source(read.client(), store.node());
  }

  private static List<Version> versions(Holding held, List<Holding> holding) {
    List<Version> versions = new ArrayList<>(1);
    versions.add(held.beginning(VALUE_PUBLISHED_MAX).version());
    for (Holding other : holding) {
      if (held.evidence() != null || versions.size() > SIBLINGS_MAX) {
        break;
      }
      if (other.isSameTermAs(held) && !other.version().equals(held.version())) {
        versions.add(other.version().beginning(VALUE_KEPT_MAX));
      }
    }
    return versions;
  }

  /** Closes the intervals that a write ended. */
  void closeAll(List<OpenInterval> ended, WriteEvent event) {
    // Remove all first: the first end publishes late openings of intervals that are still open.
    for (OpenInterval interval : ended) {
      boolean unused = open.remove(interval);
    }
    int closed = 0;
    try {
      for (OpenInterval interval : ended) {
        close(interval, event);
        closed++;
      }
    } finally {
      for (int i = closed; i < ended.size(); i++) {
        // MissedWrites looks for intervals whose version is gone, and closes these.
        open.add(ended.get(i));
      }
    }
  }

  private void close(OpenInterval interval, WriteEvent event) {
    Version written = event.written();
    Version endedBy = written == null ? null : written.beginning(VALUE_KEPT_MAX);
    close(
        interval,
        new Closed(
            epoch.number(), 0, interval, event.before(), endedBy, event.writer(), event.origin()));
  }

  /** Closes an interval whose end was missed, if it is open. */
  void closeMissed(OpenInterval interval, Hvc at) {
    if (open.remove(interval)) {
      close(interval, new Closed(epoch.number(), 0, interval, at, null, "", null));
    }
  }

  private void close(OpenInterval interval, Closed unnumbered) {
    // Publish the end even if no opening was: it may end another replica's interval.
    unpublished.remove(interval);
    boolean allPublished = publishLate();
    Closed end = unnumbered.withSequence(++sequences[interval.partition()]);
    if (!unpublished.publish(end, allPublished)) {
      keepLate(end);
    }
    closedCount.increment();
  }

  /** Publishes the key's state for each term that compares replicas. */
  void publishStates(
      StoreKey key, List<Match> matches, List<Version> siblings, Hvc start, Source source) {
    for (int i = 0; i < matches.size(); i++) {
      Match match = matches.get(i);
      if (match.term().isState() && truth.isAdmitted(match)) {
        boolean allPublished = publishLate();
        KeyState state = state(match, key, siblings, start, source);
        if (!unpublished.publish(state, allPublished)) {
          keepLate(state);
        }
      }
    }
  }

  private KeyState state(
      Match match, StoreKey key, List<Version> siblings, Hvc start, Source source) {
    String instance =
        CandidateRecords.instanceKey(match.term().predicate(), match.byKey().toString());
    int partition = partitionOf.applyAsInt(instance);
    return new KeyState(
        epoch.number(),
        partition,
        ++sequences[partition],
        instance,
        match,
        key,
        start,
        StateDigest.of(siblings),
        store.replicas(key),
        siblings.stream()
            .limit(SIBLINGS_MAX)
            .map(version -> version.beginning(VALUE_KEPT_MAX))
            .toList(),
        source);
  }

  private void keepLate(Late late) {
    for (KeyState dropped : unpublished.add(late)) {
      omissions.addState(dropped.key());
    }
  }

  /** Records an event that Kafka refused as a gap, and keeps it to publish it late. */
  void lost(Event event) {
    ring.lost(event.lost());
    if (!epoch.isWatching() || event.epoch() != epoch.number()) {
      return;
    }
    if (event instanceof Late late) {
      keepLate(late);
    } else if (event instanceof IntervalEvent opened && open.contains(opened.interval())) {
      unpublished.add(opened.interval());
    }
  }

  /**
   * Publishes late events in time order, from memory, as the store may fail. Returns whether no
   * event is left.
   */
  boolean publishLate() {
    boolean published = true;
    for (int i = 0; published && i < LATE_MAX && !unpublished.isEmpty() && ring.hasRoom(1); i++) {
      OpenInterval opening = unpublished.nextOpening();
      published =
          opening == null ? unpublished.publishNext(sequences) : publishLateOpening(opening);
    }
    return unpublished.isEmpty();
  }

  private boolean publishLateOpening(OpenInterval late) {
    List<Holding> holding = open.holdingAt(late.key());
    unpublished.remove(late);
    // The interval may have ended; its end then follows.
    if (!open.remove(late)) {
      return true;
    }
    OpenInterval interval = late.withSequence(++sequences[late.partition()]);
    open.add(interval);
    boolean published =
        ring.add(new Opened(epoch.number(), interval, versions(interval.holding(), holding)));
    if (!published) {
      unpublished.add(interval);
    }
    return published;
  }

  /** The node's time now, and the last sequences. */
  Progress progress(List<ActivePredicate> searched) {
    return new Progress(
        epoch.number(), store.clock().tick(), Arrays.stream(sequences).boxed().toList(), searched);
  }

  /** Publishes a gap in every partition at one time. */
  void publishGap(long hlc) {
    publishGap(hlc, hlc);
  }

  /** Publishes a gap in every partition. */
  void publishGap(long fromHlc, long toHlc) {
    for (int partition = 0; partition < sequences.length; partition++) {
      long sequence = ++sequences[partition];
      ring.lost(new Gap(epoch.number(), partition, sequence, sequence, fromHlc, toHlc));
    }
  }

  /** Publishes a gap in every partition from {@code sinceHlc} or the last progress to now. */
  void publishGapSince(long sinceHlc) {
    if (epoch.isWatching()) {
      publishGap(Math.min(sinceHlc, epoch.publishedUpTo()), store.clock().tick().own());
    }
  }

  /** Waits until events fit into the ring, at most 10 s. Call without the write lock. */
  boolean awaitRoom(int events) {
    try {
      return ring.awaitRoom(events, ROOM_WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      // The node closes: an event without room becomes a gap.
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** By any thread. */
  long openedCount() {
    return openedCount.sum();
  }

  /** By any thread. */
  long closedCount() {
    return closedCount.sum();
  }
}
