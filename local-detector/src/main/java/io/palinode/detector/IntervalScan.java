package io.palinode.detector;

import io.palinode.detector.KeyScan.Found;
import io.palinode.detector.Omissions.Search;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WatchedStore;
import io.palinode.detector.ring.CandidateEncoder;
import io.palinode.detector.terms.ActivePredicate;
import io.palinode.detector.terms.Holding;
import io.palinode.detector.terms.OpenInterval.Source;
import io.palinode.detector.terms.TermIndex;
import io.palinode.detector.terms.TermIndex.Match;
import io.palinode.detector.terms.Truth;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.wire.v1.IntervalRef;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Opens intervals of terms that already hold in the store: of a new predicate, after a reset, and
 * those omitted before. Called under the detector's lock, while writes continue.
 *
 * <p>The index has a predicate's terms before the scan for it begins. The scan reads each key that
 * it finds again under the write lock. All earlier writes were watched and no write is in progress,
 * so the opened intervals agree with the writes. If a key becomes true after the index changed, its
 * write opens the interval.
 */
final class IntervalScan {
  private final WatchedStore store;
  private final WatchedPredicates predicates;
  private final DetectorEpoch epoch;
  private final IntervalPublisher publisher;
  private final Omissions omissions;
  private final Truth truth;

  IntervalScan(
      WatchedStore store,
      WatchedPredicates predicates,
      DetectorEpoch epoch,
      IntervalPublisher publisher,
      Truth truth) {
    this.store = store;
    this.predicates = predicates;
    this.epoch = epoch;
    this.publisher = publisher;
    this.omissions = publisher.omissions();
    this.truth = truth;
  }

  /** Opens what holds of these terms. Throws what the store throws. O(keys in the store). */
  Found open(TermIndex terms) {
    Found found = KeyScan.of(store, terms, truth, publisher.open().intervalsMax());
    openAt(found, terms);
    return found;
  }

  /** Opens what holds at these keys. */
  void openAt(Collection<StoreKey> keys) {
    openAt(new Found(keys, true, true), predicates.index());
  }

  private void openAt(Found found, TermIndex terms) {
    // Most keys match no term and need not be read.
    List<StoreKey> keys = found.keys().stream().filter(key -> !terms.match(key).isEmpty()).toList();
    boolean drains = true;
    for (List<StoreKey> step : Steps.of(keys)) {
      // If the ring did not drain within the wait, the next step does not wait.
      drains = drains && publisher.awaitRoom(step.size());
      store.atomically(() -> openStep(step, terms));
    }
    if (!found.all() || !found.allStates()) {
      store.ordered(() -> omit(found));
    }
  }

  /** A later scan would find as many states again, so only intervals are omitted. */
  private void omit(Found found) {
    if (!found.all()) {
      omissions.addInterval();
    }
    if (epoch.isWatching()) {
      publisher.publishGap(store.clock().tick().own());
    }
  }

  private void openStep(List<StoreKey> keys, TermIndex terms) {
    if (!epoch.isWatching()) {
      return;
    }
    if (epoch.isRestored()) {
      // These records belong to the next epoch, whose reset opens their intervals.
      omissions.addUntilReset();
      return;
    }
    Hvc start = epoch.startOfFound();
    requirePromised(start);
    for (StoreKey key : keys) {
      List<Match> matches = terms.match(key);
      List<Version> siblings = store.siblings(key);
      publisher.openMissing(key, truth.of(matches, siblings), start);
      publisher.publishStates(key, matches, siblings, start, Source.UNKNOWN);
    }
  }

  /** An opening at this time also says that all events before it are published. */
  private void requirePromised(Hvc start) {
    if (!store.promises(start.own())) {
      throw new IllegalStateException(
          "cannot open intervals: the node cannot promise its clock at "
              + Hlc.format(start.own())
              + "; check its disk");
    }
  }

  /**
   * Marks those that compare replicas as searched, if every key's state was published, and those
   * with {@code within}: what was omitted of their intervals is in {@link Omissions}. A state of a
   * store that was restored since was not published.
   */
  void noteSearched(Found found, Collection<ActivePredicate> of) {
    List<ActivePredicate> searched =
        of.stream()
            .filter(each -> each.comparesReplicas() ? found.allStates() : each.asksForAnswers())
            .toList();
    if (searched.isEmpty()) {
      return;
    }
    store.atomically(
        () -> {
          if (!epoch.isRestored()) {
            predicates.addSearched(searched);
          }
        });
  }

  /** Publishes the omitted states of known keys, unless older events wait to be published. */
  void publishOmittedStates() {
    List<StoreKey> keys = store.ordered(this::takeStates);
    try {
      openAt(keys);
    } catch (RuntimeException failed) {
      store.ordered(() -> keys.forEach(omissions::addState));
      throw failed;
    }
  }

  private List<StoreKey> takeStates() {
    return epoch.isPublishing() && publisher.hasPublishedAll() ? omissions.takeStates() : List.of();
  }

  /** Opens omitted intervals once there is room. O(keys in the store) if so. */
  void openOmitted() {
    if (store.ordered(this::dueSearch) == Search.NONE) {
      return;
    }
    // Without a write in progress: the scan must find the interval that was refused last.
    Search search = store.atomically(this::beginSearch);
    if (search == Search.NONE) {
      return;
    }
    TermIndex terms =
        search == Search.INTERVALS ? predicates.indexWithoutStates() : predicates.index();
    try {
      open(terms);
    } catch (RuntimeException failed) {
      store.ordered(() -> omissions.failed(search));
      throw failed;
    }
    store.ordered(omissions::ended);
  }

  private Search dueSearch() {
    return epoch.isPublishing() ? omissions.due(publisher.hasRoom()) : Search.NONE;
  }

  private Search beginSearch() {
    Search search = dueSearch();
    omissions.begin(search);
    return search;
  }

  /** What holds now at a key. Only while paused. */
  List<Holding> holdingAt(StoreKey key) {
    List<Match> matches = predicates.index().match(key);
    return matches.isEmpty() ? List.of() : truth.of(matches, store.siblings(key));
  }

  /** What these versions of a key make true. */
  List<Holding> holdingWith(StoreKey key, List<Version> versions) {
    return truth.of(predicates.index().match(key), versions);
  }

  /**
   * What holds now, each term and binding once. Only while paused.
   *
   * @param keys at which something may hold; null for all keys of the store
   */
  List<IntervalRef> holding(@Nullable List<StoreKey> keys) {
    Set<IntervalRef> holding = new LinkedHashSet<>();
    if (keys == null) {
      TermIndex terms = predicates.index();
      store.scan((key, siblings) -> add(truth.of(terms.match(key), siblings), holding));
    } else {
      keys.forEach(key -> add(holdingAt(key), holding));
    }
    return List.copyOf(holding);
  }

  private static void add(List<Holding> held, Set<IntervalRef> holding) {
    held.forEach(each -> holding.add(CandidateEncoder.onCut(each)));
  }
}
