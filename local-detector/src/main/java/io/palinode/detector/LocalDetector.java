package io.palinode.detector;

import io.palinode.detector.KeyScan.Found;
import io.palinode.detector.binding.StaleRead;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WatchedStore;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.detector.binding.WriteFeed;
import io.palinode.detector.ring.Activity;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.detector.ring.Emission.Event;
import io.palinode.detector.ring.Emission.Progress;
import io.palinode.detector.terms.ActivePredicate;
import io.palinode.detector.terms.Holding;
import io.palinode.detector.terms.TermIndex;
import io.palinode.detector.terms.TermIndex.Match;
import io.palinode.detector.terms.Truth;
import io.palinode.wire.v1.IntervalRef;
import java.util.Collection;
import java.util.List;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Watches the writes of one node. It opens an interval when a version makes a term true, closes it
 * when that version is superseded, and puts both into the ring.
 *
 * <p>A term holds at a key under a binding while any sibling satisfies it. Each such sibling has
 * its own interval, so all replicas name an interval by the same version.
 *
 * <p>If the replicas of a key are compared, each write publishes the key's state.
 *
 * <p>Two locks, in this order:
 *
 * <ol>
 *   <li>The lock of this object separates {@link #setPredicates}, {@link #reset}, {@link #holding}
 *       and {@link #openRefused}. A write never takes it.
 *   <li>The store's write lock guards all state that a write touches. {@link #written} runs under
 *       it. Other methods use {@link WriteFeed#atomically} if they read the store or need that no
 *       write is in progress, else {@link WriteFeed#ordered}, which stops no writes.
 * </ol>
 *
 * <p>{@link #missedWrite} and {@link #giveUp} set a flag without a lock. {@link NodeProgress}
 * checks these flags after its clock reading.
 */
public final class LocalDetector implements WriteFeed.WriteListener {
  private final WatchedStore store;
  private final Truth truth = new Truth();
  private final WatchedPredicates predicates = new WatchedPredicates();
  private final Activity activity;
  private final DetectorEpoch epoch;
  private final IntervalPublisher publisher;
  private final MissedWrites missed;
  private final WriteWatcher watcher;
  private final IntervalScan scan;
  private final EpochReset reset;
  private final NodeProgress progress;

  /**
   * Watches nothing before it is the store's listener and {@link #reset} was called.
   *
   * @param partitionOf the partition of a predicate instance {@code <predicate>|<binding>}, below
   *     the ring's number of partitions
   */
  public LocalDetector(
      WatchedStore store,
      CandidateRing ring,
      ToIntFunction<String> partitionOf,
      int openIntervalsMax) {
    this.store = store;
    activity = new Activity(ring);
    epoch = new DetectorEpoch(store);
    publisher = new IntervalPublisher(store, ring, partitionOf, epoch, truth, openIntervalsMax);
    missed = new MissedWrites(store, predicates, epoch, publisher);
    watcher = new WriteWatcher(predicates, epoch, publisher, missed, truth, activity);
    scan = new IntervalScan(store, predicates, epoch, publisher, truth);
    reset = new EpochReset(store, predicates, epoch, publisher, missed, scan);
    progress = new NodeProgress(store, ring, predicates, epoch, publisher, missed);
  }

  /**
   * Watches exactly these predicates from now on. Intervals of other versions are forgotten. What
   * already holds of new ones is opened now, with an unknown origin; if the epoch has ended, by the
   * next {@link #reset}. If the store throws, the predicates are watched, and the next call of this
   * method or of {@link #reset} opens what holds. O(keys in the store) if there are new ones;
   * writes continue meanwhile.
   */
  public synchronized void setPredicates(Collection<ActivePredicate> active) {
    WatchedPredicates.Change change = predicates.replace(active);
    List<ActivePredicate> arrived = predicates.unscanned();
    store.followAccesses(active.stream().anyMatch(ActivePredicate::undoesOnlySome));
    store.atomically(
        () -> {
          predicates.apply(change);
          if (change.removes()) {
            publisher.forget(term -> !predicates.isWatched(term));
          }
        });
    if (epoch.isPublishing() && !arrived.isEmpty()) {
      Found found = scan.open(TermIndex.of(arrived));
      predicates.allScanned();
      scan.noteSearched(found, arrived);
    }
  }

  /**
   * Ends the epoch for this node: its state is the one that the next epoch begins with. Until the
   * next {@link #reset} neither events nor progress are published. If every node ends its epoch
   * before any node serves the next one, a node that resets late still finds all that held at the
   * begin, and has published no progress past it. Only while paused; a repeat changes nothing.
   */
  public synchronized void endEpoch() {
    store.atomically(
        () -> {
          if (epoch.isPublishing()) {
            missed.publish();
            epoch.end();
          }
        });
  }

  /** {@link #reset(long, long)} for an epoch that begins when this node ended the last one. */
  public void reset(long newEpoch) {
    reset(newEpoch, 0);
  }

  /**
   * Begins the epoch: forgets every interval and opens those that hold. A repeat for the current
   * epoch only completes a reset that threw. Only while the node serves no writes: after a restart,
   * and at the end of a rollback. O(keys in the store) the first time, then O(open intervals +
   * changed keys).
   *
   * @param after the epoch begins right after this HLC on every node, or at the clock if that is
   *     earlier
   */
  public synchronized void reset(long newEpoch, long after) {
    reset.begin(newEpoch, after);
  }

  /** The store changed these keys other than by writes, while it was paused. */
  public synchronized void noteChanged(Collection<StoreKey> keys) {
    reset.noteChanged(keys);
  }

  /** The store changed unknown keys by itself, while it was paused. */
  public synchronized void noteAnyChanged() {
    reset.noteAnyChanged();
  }

  /**
   * Stops watching writes and publishing progress. Returns the last progress if no event is missing
   * once the ring is sent; else null.
   */
  public synchronized @Nullable Progress stop() {
    return store.atomically(
        () -> {
          Progress last = reset.isUnfinished() ? null : progress.last();
          epoch.stop();
          return last;
        });
  }

  /**
   * Publishes a gap in every partition since the last progress, for a missed write of an unknown
   * key. The next {@link #openRefused} looks for what the write began and ended. It does not find
   * the state after a delete.
   */
  public void missed() {
    missed.note();
    store.ordered(missed::publish);
  }

  /** {@inheritDoc} The next progress does the rest of {@link #missed} first. */
  @Override
  public void missedWrite() {
    missed.note();
  }

  /**
   * Publishes a coverage gap from {@code sinceHlc} to now in every partition. For writes that no
   * predicate evaluates. Their terms are searched for only if a predicate has {@code within}.
   */
  public void publishGap(long sinceHlc) {
    store.ordered(
        () -> {
          if (predicates.askForAnswers()) {
            publisher.omissions().addInterval();
          }
          publisher.publishGapSince(sinceHlc);
        });
  }

  /**
   * Publishes a last gap in every partition and stops, in all later epochs too. For a store that
   * passes on no more writes. Waits for no scan. No progress is published once this call began.
   */
  public void giveUp() {
    missed.giveUp();
    store.ordered(missed::publishGivenUp);
  }

  /** The terms that match a key. */
  public List<Match> matches(StoreKey key) {
    return predicates.index().match(key);
  }

  /** What holds now at a key. Only while paused. */
  public synchronized List<Holding> holdingAt(StoreKey key) {
    return scan.holdingAt(key);
  }

  /** What these versions of a key make true. */
  public synchronized List<Holding> holdingWith(StoreKey key, List<Version> versions) {
    return scan.holdingWith(key, versions);
  }

  /** What holds now, each term and binding once. Only while paused. Costs as {@link #reset}. */
  public synchronized List<IntervalRef> holding() {
    return scan.holding(reset.keysThatMayHold());
  }

  /**
   * Adds the node's time to the ring as progress. Returns false if the ring is full or the detector
   * may not publish. A bug is counted. See {@link NodeProgress} for what progress promises.
   */
  public boolean reportProgress() {
    try {
      return store.ordered(progress::publish);
    } catch (RuntimeException bug) {
      watcher.failures().record(bug);
      return false;
    }
  }

  /**
   * Opens intervals and publishes states that were omitted, and closes intervals that a missed
   * write ended. Throws what the store throws. O(keys in the store) if something was omitted and
   * there is room, else O(omitted states). Call on a thread that may wait, about once per second.
   */
  public synchronized void openRefused() {
    if (missed.isNoted()) {
      store.ordered(missed::publish);
    }
    RuntimeException unread = missed.closeGone();
    scan.publishOmittedStates();
    scan.openOmitted();
    if (unread != null) {
      throw unread;
    }
  }

  /**
   * Records an event that did not arrive and never will as part of a gap, then publishes it late
   * with its own time: an end or a state always, an opening only while its interval is open. Reads
   * nothing from the store.
   */
  public void lost(Event event) {
    // In one turn: no progress comes between the gap and the event it waits for.
    store.ordered(() -> publisher.lost(event));
  }

  /**
   * Whether progress may be awaited: an interval is open, or there was a write or a call of {@link
   * #expectProgress} since the last call of this method. The first such event after this call wakes
   * the thread that waits at the ring.
   */
  public boolean takeActivity() {
    boolean taken = activity.take();
    return taken || publisher.open().size() > 0;
  }

  /** A reader waits for the progress of every node. */
  public void expectProgress() {
    activity.note();
  }

  /** {@inheritDoc} Notes activity for every write, as a reader may wait for progress. */
  @Override
  public boolean watches(StoreKey key) {
    return watcher.watches(key);
  }

  /** {@inheritDoc} Notes activity too. */
  @Override
  public boolean watchesBelow(StoreKey prefix) {
    return watcher.watchesBelow(prefix);
  }

  /**
   * Never throws into the store. A bug is counted and published as a gap in every partition. An
   * error of the virtual machine is rethrown, and the write counts as {@link #missed}.
   */
  @Override
  public void written(WriteEvent event) {
    watcher.written(event);
  }

  /** {@inheritDoc} */
  @Override
  public void readStale(StaleRead read) {
    watcher.readStale(read);
  }

  public int predicates() {
    return predicates.size();
  }

  public int openIntervals() {
    return publisher.open().size();
  }

  public long openedCount() {
    return publisher.openedCount();
  }

  public long closedCount() {
    return publisher.closedCount();
  }

  /** Texts that active terms called no match because the evaluation reached its limit. */
  public long matchesGivenUp() {
    return predicates.matchesGivenUp();
  }

  /** Values and captures that are no text or no decimal where a term needs one. */
  public long valuesRefused() {
    return truth.valuesRefused();
  }

  /** Bugs that {@link #written} kept from the store. */
  public long failures() {
    return watcher.failures().count();
  }

  public @Nullable Throwable firstFailure() {
    return watcher.failures().first();
  }
}
