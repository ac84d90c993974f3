package io.palinode.detector;

import io.palinode.detector.terms.ActivePredicate;
import io.palinode.detector.terms.TermIndex;
import io.palinode.detector.terms.WatchedTerm;
import io.palinode.predicate.Clause;
import io.palinode.predicate.Term;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The predicate versions that a detector watches, their index, and which of them were scanned. */
final class WatchedPredicates {
  /** Replaced as a whole, under the detector's lock. */
  private volatile Map<String, ActivePredicate> byName = Map.of();

  /** Watched versions whose scan is due or failed; guarded by the detector's lock. */
  private List<ActivePredicate> unscanned = List.of();

  /** Written under the write lock. */
  private TermIndex index = TermIndex.EMPTY;

  /**
   * Versions for which each key's state, or each interval that held, was published in this epoch;
   * written under that lock.
   */
  private List<ActivePredicate> searched = List.of();

  /**
   * A change of the watched versions.
   *
   * @param index of the new versions
   * @param removes whether a version is no longer watched
   */
  record Change(TermIndex index, boolean removes) {}

  /** Watches these versions; the index follows by {@link #apply}. Under the detector's lock. */
  Change replace(Collection<ActivePredicate> active) {
    Map<String, ActivePredicate> next =
        active.stream()
            .collect(Collectors.toUnmodifiableMap(ActivePredicate::name, Function.identity()));
    List<ActivePredicate> arrived = next.values().stream().filter(p -> !isScanned(p)).toList();
    boolean removes = byName.values().stream().anyMatch(p -> !isVersionIn(next, p));
    TermIndex nextIndex = TermIndex.of(next.values());
    byName = next;
    unscanned = arrived;
    return new Change(nextIndex, removes);
  }

  /** Under the write lock. */
  void apply(Change change) {
    index = change.index();
    if (change.removes()) {
      searched = searched.stream().filter(of -> isVersionIn(byName, of)).toList();
    }
  }

  TermIndex index() {
    return index;
  }

  TermIndex indexWithoutStates() {
    return TermIndex.of(byName.values().stream().filter(of -> !of.comparesReplicas()).toList());
  }

  Collection<ActivePredicate> all() {
    return byName.values();
  }

  int size() {
    return byName.size();
  }

  boolean isWatched(WatchedTerm term) {
    ActivePredicate known = byName.get(term.predicate());
    return known != null && term.isOf(known);
  }

  List<ActivePredicate> unscanned() {
    return unscanned;
  }

  void allScanned() {
    unscanned = List.of();
  }

  /**
   * The searched versions of which nothing is missing now.
   *
   * @param hasAllIntervals whether each interval that holds is open
   */
  List<ActivePredicate> searched(boolean hasAllIntervals) {
    return hasAllIntervals
        ? searched
        : searched.stream().filter(ActivePredicate::comparesReplicas).toList();
  }

  boolean askForAnswers() {
    return byName.values().stream().anyMatch(ActivePredicate::asksForAnswers);
  }

  void addSearched(List<ActivePredicate> versions) {
    searched = Stream.concat(searched.stream(), versions.stream()).distinct().toList();
  }

  void clearSearched() {
    searched = List.of();
  }

  /** Texts that active terms called no match because the evaluation reached its time limit. */
  long matchesGivenUp() {
    long sum = 0;
    for (ActivePredicate active : byName.values()) {
      for (Clause clause : active.predicate().violation()) {
        for (Term term : clause.terms()) {
          sum += term.gaveUp();
        }
      }
    }
    return sum;
  }

  private boolean isScanned(ActivePredicate predicate) {
    return isVersionIn(byName, predicate)
        && unscanned.stream().noneMatch(predicate::isSameVersionAs);
  }

  private static boolean isVersionIn(
      Map<String, ActivePredicate> predicates, ActivePredicate predicate) {
    ActivePredicate known = predicates.get(predicate.name());
    return known != null && known.isSameVersionAs(predicate);
  }
}
